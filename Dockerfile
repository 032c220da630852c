# The image of fluxhook, for any architecture that Debian 13 has: scripts/image builds and checks it.
FROM debian:trixie-slim AS build
RUN dpkg-query -W -f '${Package}=${Version}\n' | sort >/base-packages
WORKDIR /src
COPY scripts/setup scripts/lib.sh scripts/
RUN scripts/setup
COPY CMakeLists.txt CMakePresets.json VERSION LICENSE ./
COPY cmake cmake
COPY packaging/status packaging/
COPY templates templates
COPY include include
COPY src src
RUN cmake --preset demo && ninja -C build/demo fluxhook && \
    cmake --install build/demo --component program --strip --prefix /usr/local && \
    packaging/status build/demo >/status
# The packages of the libraries that it is linked with, where the base has none or another version: as packages, so
# that whoever scans the image for vulnerabilities sees them.
WORKDIR /packages
RUN ldd /usr/local/bin/fluxhook | awk '$3 ~ /^\// { print $3 }' | xargs -n 1 realpath | xargs dpkg-query -S | \
    cut -d: -f1 | sort -u | xargs dpkg-query -W -f '${Package}=${Version}\n' | sort | comm -23 - /base-packages | \
    xargs apt-get download

FROM debian:trixie-slim
COPY --from=build /packages /packages
# ldconfig's cache, which has the inodes and times of this build, and dpkg's copies of what was before go too.
RUN dpkg --install /packages/*.deb && rm -rf /packages /var/log/dpkg.log /var/cache/ldconfig/aux-cache /var/lib/dpkg/*-old
# What it is linked with, for whoever scans the image: a program that no package installed has its entry there.
COPY --from=build /status /var/lib/dpkg/status.d/fluxhook
COPY LICENSE /usr/local/share/doc/fluxhook/LICENSE
COPY --from=build /usr/local/bin/fluxhook /usr/local/bin/
ARG VERSION=unknown
ARG REVISION=unknown
LABEL org.opencontainers.image.title="fluxhook" \
      org.opencontainers.image.description="An admission webhook that turns a labelled JobSet into a Flux Framework cluster" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.base.name="docker.io/library/debian:trixie-slim"
USER 65532:65532
EXPOSE 9443 8080
ENTRYPOINT ["fluxhook"]
CMD ["--help"]
