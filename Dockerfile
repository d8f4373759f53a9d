# The same image as `npm run build:image` makes, for those who have Docker: docker buildx build --platform linux/amd64,linux/arm64 .
# Everything is built on the machine at hand: nothing of another processor is run.
FROM --platform=$BUILDPLATFORM node:20-bookworm AS build
ARG TARGETARCH
COPY . /build
WORKDIR /build
RUN npm ci --no-audit --no-fund && npm run --silent build:image -- --root --platform "$TARGETARCH" --out /image

FROM scratch
COPY --from=build /image /
USER 65532:65532
ENV PATH=/usr/local/bin HOME=/tmp SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt \
    MALLOC_ARENA_MAX=1 MALLOC_MMAP_THRESHOLD_=65536 MALLOC_TRIM_THRESHOLD_=65536
ENTRYPOINT ["/usr/local/bin/node", "--expose-gc", "/opt/macfleet/lib/macfleet.mjs"]
