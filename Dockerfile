# shoal in a container: the kernels are compiled in the first stage, the second has neither compiler nor sources.
#
#     docker build --tag shoal .
#     docker run --rm --user "$(id -u):$(id -g)" --volume "$PWD:/data" --network none shoal --help

FROM python:3.13-slim AS build
# The compiler of the image's own Debian release, whatever its patch level.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends g++ \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY pyproject.toml CMakeLists.txt README.md LICENSE ./
COPY src ./src
RUN pip wheel --no-cache-dir --wheel-dir /wheels '.[arrow,charts,excel,stata-spss,zstd]'

FROM python:3.13-slim
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    pip install --no-cache-dir --no-index /wheels/*.whl \
    && useradd --create-home --uid 10001 shoal
USER 10001
WORKDIR /data
ENTRYPOINT ["shoal"]
CMD ["--help"]
