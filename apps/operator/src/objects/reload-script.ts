import { collectorPort, configFile, mountPaths } from "./pod-layout.ts";

/**
 * Puts the configuration together, fills in what differs from pod to pod, and has the collector read it: once before it
 * starts (`once`), and again whenever it changes. It needs a POSIX shell with the tools of busybox, which the usual
 * image of Prometheus has, so that nothing else has to be pulled. Nothing of a custom resource is in the script.
 *
 * A configuration that the collector does not take is offered again and again, and the collector goes on with the last
 * one it took. Parts that do not belong together (see the manifest) are left for the next look.
 *
 * The placeholders stand there as `[$](NAME)`, because kubelet fills in what looks like `$(NAME)` in a command itself.
 * The time limit is not left to wget: that of Debian's busybox crashes when it is given one with a POST.
 */
export const reloadScript = `set -u
parts=${mountPaths.configParts}
out=${mountPaths.config}
ordinal="\${POD_NAME##*-}"

assemble() {
  read -r sum count encoding < "$parts/manifest" || return 1
  : > "$out/joined" || return 1
  part=0
  while [ "$part" -lt "$count" ]; do
    cat "$parts/part-$part" >> "$out/joined" || return 1
    part=$((part + 1))
  done
  [ "$(sha256sum < "$out/joined")" = "$sum  -" ] || return 1
  if [ "$encoding" = gzip ]; then
    gunzip -c < "$out/joined" > "$out/plain" || return 1
  else
    mv "$out/joined" "$out/plain" || return 1
  fi
  sed -e "s/[$](SHARD)/$SHARD/g" -e "s/[$](POD_NAME)/$POD_NAME/g" \\
    -e "s/[$](NODE_NAME)/$NODE_NAME/g" -e "s/[$](STATEFULSET_ORDINAL_NUMBER)/$ordinal/g" \\
    < "$out/plain" > "$out/next" || return 1
  rm -f "$out/joined" "$out/plain"
}

if [ "$1" = once ]; then
  until assemble; do echo "The configuration is not complete yet."; sleep 1; done
  mv "$out/next" ${configFile}
  exit 0
fi

trap 'exit 0' TERM INT
seen=""
while :; do
  # Kubelet changes all files of a volume at once, by pointing this link elsewhere.
  now="$(readlink "$parts/..data")"
  if [ "$now" != "$seen" ] && assemble; then
    if ! cmp -s "$out/next" ${configFile} || [ -e "$out/pending" ]; then
      : > "$out/pending"
      mv "$out/next" ${configFile}
      if timeout 60 wget -q -O /dev/null --post-data= http://127.0.0.1:${collectorPort}/-/reload; then
        echo "The collector has read the new configuration."
        rm -f "$out/pending"
        seen="$now"
      else
        echo "The collector does not take the configuration; its log says why."
      fi
    else
      seen="$now"
    fi
  fi
  sleep 5 &
  wait $!
done
`;
