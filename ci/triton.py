"""Checks Tokamark's KServe over gRPC against Triton's own client library and a server made with gRPC's own.

    ci/triton.py --binary target/release/tokamark     (needs the package tritonclient[grpc])

Triton's client reads the simulated engine; then Tokamark loads a server that checks every tensor that it is sent and keeps its
own log of what it wrote when.
"""

import argparse
import json
import pathlib
import queue
import socket
import subprocess
import sys
import tempfile
import time
from concurrent import futures

import grpc
import numpy
import tritonclient.grpc as triton
from tritonclient.grpc import service_pb2, service_pb2_grpc

WORDS = [" the", " king", " and", " his", " queen", " do", " sp\u00e9ak", " of"]
GAP_S = 0.004


class Checks:
    def __init__(self):
        self.failed = 0

    def that(self, what, holds, why=""):
        print(f"{'ok  ' if holds else 'FAIL'} {what}{'' if holds else f': {why}'}", flush=True)
        self.failed += not holds


# ---- the simulated engine, read by Triton's client ----

def tensor(name, datatype, values):
    kinds = {"BYTES": object, "BOOL": bool, "INT32": numpy.int32}
    array = numpy.array(values, dtype=kinds[datatype])
    made = triton.InferInput(name, array.shape, datatype)
    made.set_data_from_numpy(array)
    return made


def ask(client, inputs, last_too):
    """The texts of a stream's responses, and whether each says that it is the last."""
    answers = queue.Queue()
    client.start_stream(callback=lambda result, error: answers.put((result, error)))
    client.async_stream_infer("m", inputs, request_id="r1", enable_empty_final_response=last_too)
    seen = []
    while True:
        try:
            result, error = answers.get(timeout=1 if not last_too else 20)
        except queue.Empty:
            break
        if error is not None:
            seen.append(str(error))
            break
        response = result.get_response()
        text = result.as_numpy("text_output")
        last = response.parameters["triton_final_response"].bool_param
        seen.append(("" if text is None else text[0].decode(), last, response.id))
        if last:
            break
    client.stop_stream()
    return seen


def check_engine(checks, binary):
    engine = subprocess.Popen([binary, "serve", "--port", "0", "--models", "m", "--decode-rate", "2000"],
                              stdout=subprocess.PIPE, text=True)
    try:
        url = engine.stdout.readline().split("http://")[1].strip()
        client = triton.InferenceServerClient(url)
        checks.that("the engine is live and ready", client.is_server_live() and client.is_server_ready())
        checks.that("its model is ready, others are not", client.is_model_ready("m") and not client.is_model_ready("x"))
        names = {entry.name for entry in client.get_model_metadata("m").inputs}
        checks.that("its metadata names the inputs", {"text_input", "max_tokens", "sampling_parameters"} <= names, names)
        checks.that("its models are decoupled", client.get_model_config("m").config.model_transaction_policy.decoupled)
        tensorrtllm = [tensor("text_input", "BYTES", [["hello there"]]), tensor("max_tokens", "INT32", [[5]]),
                       tensor("min_length", "INT32", [[5]]), tensor("stream", "BOOL", [[True]])]
        seen = ask(client, tensorrtllm, True)
        texts = [text for text, *_ in seen]
        checks.that("TensorRT-LLM's layout: five tokens and an empty last response",
                    len(seen) == 6 and all(texts[:5]) and seen[5] == ("", True, "r1")
                    and not any(last for _, last, _ in seen[:5]), seen)
        vllm = [tensor("text_input", "BYTES", ["hello there"]), tensor("stream", "BOOL", [True]),
                tensor("sampling_parameters", "BYTES", ['{"max_tokens":"3","min_tokens":"3"}'])]
        seen = ask(client, vllm, False)
        checks.that("vLLM's layout: three tokens and nothing else where nothing else is asked for", len(seen) == 3, seen)
        whole = ask(client, [vllm[0], vllm[2]], True)
        checks.that("without `stream` one response, which is the last", len(whole) == 1 and whole[0][1], whole)
        one = client.infer("m", [vllm[0], vllm[2]]).as_numpy("text_output")[0].decode()
        checks.that("one request, one answer", one == whole[0][0] == "".join(text for text, *_ in seen), one)
        refused = ask(client, [tensor("stream", "BOOL", [True])], True)
        checks.that("a request without a text is refused", "text_input" in str(refused[-1]), refused)
        try:
            client.get_model_metadata("x")
            checks.that("an unknown model is refused", False, "it is not")
        except triton.InferenceServerException as error:
            checks.that("an unknown model is refused", "NOT_FOUND" in str(error.status()), error)
    finally:
        engine.terminate()
        engine.wait()


# ---- Tokamark, against a server made with gRPC's library ----

class Model(service_pb2_grpc.GRPCInferenceServiceServicer):
    """Answers with eight words, and notes what it was sent and when it wrote."""

    def __init__(self, inputs, says_last):
        self.inputs, self.says_last = inputs, says_last
        self.requests, self.firsts = [], []

    def ModelMetadata(self, request, context):
        if self.inputs is None:
            context.abort(grpc.StatusCode.UNIMPLEMENTED, "no metadata here")
        reply = service_pb2.ModelMetadataResponse(name=request.name)
        for name, (datatype, shape) in self.inputs.items():
            reply.inputs.add(name=name, datatype=datatype, shape=shape)
        return reply

    def ModelStreamInfer(self, requests, context):
        for request in requests:
            came = time.time_ns()
            tensors = {entry.name: (entry.datatype, list(entry.shape), raw)
                       for entry, raw in zip(request.inputs, request.raw_input_contents, strict=True)}
            self.requests.append((request.model_name, tensors,
                                  request.parameters["triton_enable_empty_final_response"].bool_param))
            for index, word in enumerate(WORDS):
                time.sleep(GAP_S)
                reply = service_pb2.ModelStreamInferResponse()
                reply.infer_response.id = request.id
                reply.infer_response.outputs.add(name="text_output", datatype="BYTES", shape=[1])
                raw = word.encode()
                reply.infer_response.raw_output_contents.append(len(raw).to_bytes(4, "little") + raw)
                if index == 0:
                    self.firsts.append((came, time.time_ns()))
                yield reply
            if self.says_last:
                reply = service_pb2.ModelStreamInferResponse()
                reply.infer_response.parameters["triton_final_response"].bool_param = True
                yield reply



def load(checks, binary, what, inputs, says_last, arguments, expected):
    model = Model(inputs, says_last)
    server = grpc.server(futures.ThreadPoolExecutor(8))
    service_pb2_grpc.add_GRPCInferenceServiceServicer_to_server(model, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [binary, "genai-perf", "profile", "-m", "m", "--tokenizer", "builtin", "--streaming", "-u", f"127.0.0.1:{port}",
             "--concurrency", "2", "--request-count", "20", "--num-prompts", "20", "--isl", "16", "--osl", "8",
             *arguments], cwd=folder, capture_output=True, text=True, check=False)
        checks.that(f"{what}: the run succeeds", done.returncode == 0, done.stdout[-2000:] + done.stderr)
        if done.returncode == 0:
            run = next(pathlib.Path(folder).glob("artifacts/*"))
            requests = json.loads((run / "profile_export.json").read_text())["experiments"][0]["requests"]
            report = json.loads((run / "profile_export_genai_perf.json").read_text())
            texts = {"".join(output["text_output"] for output in request["response_outputs"]) for request in requests}
            checks.that(f"{what}: every answer is the one that was written", texts == {"".join(WORDS)}, texts)
            responses = {len(request["response_outputs"]) for request in requests}
            checks.that(f"{what}: every response is there", responses == {len(WORDS) + says_last}, responses)
            mean = sum(wrote - came for came, wrote in model.firsts) / len(model.firsts) / 1e6
            ttft = report["time_to_first_token"]["avg"]
            checks.that(f"{what}: the first token takes no less than the server took, nor twice as long",
                        mean * 0.98 <= ttft <= 2 * mean + 5, f"{ttft} ms, and the server {mean} ms")
    server.stop(None)
    names = {name for name, *_ in model.requests}
    checks.that(f"{what}: twenty requests for the model", len(model.requests) == 20 and names == {"m"}, names)
    for _, tensors, asks in model.requests[:1]:
        checks.that(f"{what}: the last response is asked for", asks)
        sent = {name: value for name, value in tensors.items() if name != "text_input"}
        checks.that(f"{what}: the tensors are those of the layout", sent == expected, f"{sent}, not {expected}")
        checks.that(f"{what}: the text has the same shape", len(tensors["text_input"][1]) == len(sent["stream"][1]), tensors)


def check_client(checks, binary):
    metadata = {"text_input": ("BYTES", [-1, 1]), "max_tokens": ("INT32", [-1, 1]), "stream": ("BOOL", [-1, 1]),
                "exclude_input_in_output": ("BOOL", [-1, 1]), "min_length": ("UINT64", [-1, 1]),
                "temperature": ("FP32", [-1, 1])}
    one = [1, 1]
    load(checks, binary, "TensorRT-LLM, described", metadata, True,
         ["--output-tokens-mean-deterministic", "--extra-inputs", "temperature:1"],
         {"max_tokens": ("INT32", one, b"\x08\0\0\0"), "stream": ("BOOL", one, b"\1"),
          "exclude_input_in_output": ("BOOL", one, b"\1"), "min_length": ("UINT64", one, b"\x08" + 7 * b"\0"),
          "temperature": ("FP32", one, b"\0\0\x80\x3f")})
    parameters = b'{"max_tokens":"8","top_k":4}'
    load(checks, binary, "vLLM, not described", None, False, ["--backend", "vllm", "--extra-inputs", "top_k:4"],
         {"stream": ("BOOL", [1], b"\1"), "exclude_input_in_output": ("BOOL", [1], b"\1"),
          "sampling_parameters": ("BYTES", [1], len(parameters).to_bytes(4, "little") + parameters)})


def check_refusals(checks, binary):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        talk = subprocess.Popen([binary, "genai-perf", "profile", "-m", "m", "--tokenizer", "builtin", "--streaming", "-u",
                                 f"127.0.0.1:{port}", "--request-count", "2"], stderr=subprocess.PIPE, text=True)
        connection, _ = listener.accept()
        connection.recv(1024)
        connection.sendall(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        connection.close()
        said = talk.communicate(timeout=60)[1]
        checks.that("a server of HTTP/1.1 is told apart", talk.returncode == 1 and "HTTP/2" in said, said)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    binary = str(pathlib.Path(parser.parse_args().binary).resolve())
    checks = Checks()
    check_engine(checks, binary)
    check_client(checks, binary)
    check_refusals(checks, binary)
    sys.exit(1 if checks.failed else 0)


if __name__ == "__main__":
    main()
