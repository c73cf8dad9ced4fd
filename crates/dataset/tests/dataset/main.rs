//! Tests of datasets from outside.

#[cfg(test)]
mod bodies;
#[cfg(test)]
mod dag_jsonl;
#[cfg(test)]
mod detect;
#[cfg(test)]
mod folder;
#[cfg(test)]
mod genai_perf_payload;
#[cfg(test)]
mod inputs_json;
#[cfg(test)]
mod multi_turn;
#[cfg(test)]
mod otel_spans;
#[cfg(test)]
mod public;
#[cfg(test)]
mod random_pool;
#[cfg(test)]
mod robust;
#[cfg(test)]
mod sagemaker;
#[cfg(test)]
mod sharegpt;
#[cfg(test)]
mod single_turn;
#[cfg(test)]
mod speed_bench;
