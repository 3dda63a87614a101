# The `quiver` command, as a server over HTTP on port 7373 with its database in /data.
#
#     docker build -t quiver .
#     docker run --rm -v quiver:/data quiver keys create me --role admin
#     docker run -d -p 127.0.0.1:7373:7373 -v quiver:/data quiver

FROM rust:1.95-bookworm AS build
WORKDIR /source
COPY . .
RUN cargo build --release --locked -p quiver-command && strip target/release/quiver && mkdir /data

FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=build /source/target/release/quiver /usr/local/bin/quiver
COPY --from=build --chown=nonroot:nonroot /data /data
USER nonroot
# The database is /data/quiver-data: commands look for it where they are run.
WORKDIR /data
VOLUME /data
EXPOSE 7373
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["quiver", "serve", "--check"]
ENTRYPOINT ["quiver"]
CMD ["serve", "--listen", "0.0.0.0:7373"]
