# The desk. It needs a token, since other containers can connect:
#   docker build --build-arg CRASHKIT=URL -t desk -f desk.Dockerfile .
#   docker run -v desk:/data desk --add-token api
#   docker run -v desk:/data -p 127.0.0.1:8017:8017 desk --listen 0.0.0.0:8017

FROM swift:6.2-bookworm AS build
ARG CRASHKIT
# hadolint ignore=DL3008
RUN apt-get update && \
    apt-get install -y --no-install-recommends libsqlite3-dev && \
    rm -rf /var/lib/apt/lists/* && \
    git clone --depth 1 "$CRASHKIT" /crashkit
WORKDIR /crashkit
RUN swift build -c release --static-swift-stdlib --traits Desk --product crashsym && \
    install -D .build/release/crashsym /image/usr/local/bin/crashsym && \
    mkdir /image/data

FROM debian:bookworm-slim
# hadolint ignore=DL3008
RUN apt-get update && \
    apt-get install -y --no-install-recommends ca-certificates libcurl4 libdebuginfod1 libdw1 libsqlite3-0 libstdc++6 libzstd1 && \
    rm -rf /var/lib/apt/lists/*
COPY --from=build /image/usr /usr
COPY --from=build --chown=65532:65532 --chmod=700 /image/data /data
VOLUME /data
USER 65532:65532
EXPOSE 8017
ENTRYPOINT ["/usr/local/bin/crashsym", "desk", "--no-cache", "--data", "/data"]
