"""A protoc plugin that runs the grpc_python generator inside grpcio-tools, which ships no plugin program of its own."""

import sys
import tempfile
from pathlib import Path

from google.protobuf.compiler.plugin_pb2 import CodeGeneratorRequest, CodeGeneratorResponse
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from grpc_tools import protoc


def generate(request: CodeGeneratorRequest) -> CodeGeneratorResponse:
    """Answers a plugin request; files without services give files without stubs."""
    response = CodeGeneratorResponse(supported_features=CodeGeneratorResponse.FEATURE_PROTO3_OPTIONAL)
    with tempfile.TemporaryDirectory() as directory:
        descriptors, out = Path(directory, "descriptors.binpb"), Path(directory, "out")
        out.mkdir()
        descriptors.write_bytes(FileDescriptorSet(file=request.proto_file).SerializeToString())
        arguments = ["protoc", f"--descriptor_set_in={descriptors}", f"--grpc_python_out={out}"]
        code = protoc.main([*arguments, *request.file_to_generate])
        if code:
            response.error = f"the grpc_python generator ended with {code}"
        for path in sorted(out.rglob("*.py")):
            response.file.add(name=path.relative_to(out).as_posix(), content=path.read_text())
    return response


if __name__ == "__main__":
    sys.stdout.buffer.write(generate(CodeGeneratorRequest.FromString(sys.stdin.buffer.read())).SerializeToString())
