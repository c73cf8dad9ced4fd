//! From flags as typed to a [`Plan`]: values, defaults and conflicts. All that is wrong is collected.

mod goodput;
mod load;
mod report;
mod target;
pub(crate) mod values;
mod workload;

use tokamark_plan::{LengthDistribution, Plan, TargetPlan, WorkloadPlan};

use crate::args::ProfileArgs;
use crate::problems::Problems;

/// What a command line asks for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Resolved {
    /// The run. URLs of simulated engines are still `sim:…`.
    pub(crate) plan: Plan,
    /// `--endpoint`, for the URLs of simulated engines that are known only once they run.
    pub(crate) endpoint_path: Option<String>,
}

/// Gives the flags their meaning. `variable` reads the environment.
///
/// # Errors
/// Everything that is wrong, including what `problems` held already.
pub(crate) fn resolve(
    args: &ProfileArgs,
    variable: &dyn Fn(&str) -> Option<String>,
    mut problems: Problems,
) -> Result<Resolved, Problems> {
    let target = target::resolve(&args.endpoint, &args.connection, variable, &mut problems);
    let load = load::resolve(&args.load, &args.conversation, &mut problems);
    let workload = workload::resolve(args, target.endpoint, &mut problems);
    limits_agree(&target, &workload, &mut problems);
    let report = report::resolve(&args.output, &target, &mut problems);
    if !problems.is_empty() {
        return Err(problems);
    }
    let plan = Plan { target, load, workload, report };
    Ok(Resolved { plan, endpoint_path: args.endpoint.endpoint.clone() })
}

/// A limit of output tokens may be given twice, as scripts do, but not with two values.
fn limits_agree(target: &TargetPlan, workload: &WorkloadPlan, problems: &mut Problems) {
    let Some(lengths) = &workload.output_tokens else { return };
    for name in [target::LEGACY_MAX_TOKENS, "max_completion_tokens"] {
        if let Some(limit) = target.extra_inputs.get(name)
            && (limit.as_f64().is_none_or(|limit| *lengths != LengthDistribution::fixed(limit)))
        {
            problems
                .add("--extra-inputs", format!("`{name}:{limit}` conflicts with --osl: both set the output's length"));
        }
    }
}

#[cfg(test)]
mod tests;
