/** Written for `sh`, which starts ten times as fast as Node does, and is called some thousand times. */
const engineDown =
  "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?";

/**
 * `kind`: create cluster, delete cluster, get kubeconfig, get clusters, load image-archive, version. A container is a
 * file with three lines: the cluster, its state, its mount.
 */
export function kindScript(folder: string): string {
  return `#!/bin/sh
cd "${folder}" || exit 1
echo "kind $*" > "calls/$$"
command="$1 $2"
case "$command" in
"version ") echo "kind v0.33.0 go1.26.8 linux/amd64"; exit 0 ;;
esac
shift 2
archive=""
case "$command" in "load image-archive") archive="$1"; shift ;; esac
internal=""
while [ $# -gt 0 ]; do
  case "$1" in
  --name) name="$2"; shift ;;
  --config) config="$2"; shift ;;
  --kubeconfig) kubeconfig="$2"; shift ;;
  --wait) shift ;;
  --internal) internal="yes" ;;
  *) echo "ERROR: unknown flag: $1" >&2; exit 1 ;;
  esac
  shift
done

fail() { echo "ERROR: $1" >&2; exit 1; }
nodes() { grep -lx "$name" containers/* 2>/dev/null; }
remove_nodes() { nodes | while read -r path; do rm -f "$path"; done; }

needs_engine() {
  if [ -e down ]; then
    printf 'ERROR: failed to %s cluster: command "docker info" failed with error: exit status 1\\n\\nCommand Output: %s\\n' "$1" "${engineDown}" >&2
    exit 1
  fi
}

part() {
  echo " • $2  ..."
  while [ "$(cat "faults/$1" 2>/dev/null)" = hang ]; do sleep 0.01; done
  fault="$(cat "faults/$1" 2>/dev/null)"
  if [ -e down ]; then fault="${engineDown}"; fi
  if [ "$fault" = killed ]; then kill -9 $$; fi
  if [ -n "$fault" ]; then
    if [ ! -e down ]; then remove_nodes; fi
    fail "failed to create cluster: $fault"
  fi
  echo " ✓ $2"
}

put_container() {
  printf '%s\\nrunning\\n%s\\n' "$name" "$mark" > "containers/$1.tmp"
  mv "containers/$1.tmp" "containers/$1"
}

create() {
  needs_engine create
  if [ -n "$(nodes)" ]; then
    fail "failed to create cluster: node(s) already exist for a cluster with the name \\"$name\\""
  fi
  echo "Creating cluster \\"$name\\" ..."
  part image "Ensuring node image (kindest/node:v1.37.0) 🖼 "
  mark="$(grep -o '"containerPath":"[^"]*"' "$config" | head -n 1 | cut -d '"' -f 4)"
  for port in $(grep -o '"hostPort":[0-9]*' "$config" | cut -d : -f 2); do
    if [ -e "ports/$port" ]; then
      printf 'ERROR: failed to create cluster: command "docker run" failed with error: exit status 125\\n\\nCommand Output: docker: Error response from daemon: Bind for 0.0.0.0:%s failed: port is already allocated\\n' "$port" >&2
      exit 1
    fi
  done
  put_container "$name-control-plane"
  workers="$(grep -o '"role":"worker"' "$config" | wc -l)"
  number=1
  while [ "$number" -le "$workers" ]; do
    if [ "$number" -eq 1 ]; then put_container "$name-worker"; else put_container "$name-worker$number"; fi
    number=$((number + 1))
  done
  part nodes "Preparing nodes 📦 "
  part configuration "Writing configuration 📜"
  part control-plane "Starting control-plane 🕹️"
  part network "Installing CNI 🔌"
  part storage "Installing StorageClass 💾"
  part workers "Joining worker nodes 🚜"
  part kubeconfig "Set kubectl context"
  write_kubeconfig > "$kubeconfig"
}

write_kubeconfig() {
  if [ -e kubeconfig ]; then cat kubeconfig; return; fi
  address="127.0.0.1:6443"
  if [ -n "$internal" ]; then address="$name-control-plane:6443"; fi
  printf 'apiVersion: v1\\nkind: Config\\nclusters:\\n- cluster:\\n    server: https://%s\\n  name: kind-%s\\n' "$address" "$name"
  printf 'users:\\n- name: kind-%s\\n  user:\\n    token: stand-in-token-of-%s\\n' "$name" "$name"
}

case "$command" in
"create cluster") create ;;
"delete cluster") needs_engine delete; remove_nodes ;;
"get clusters") needs_engine list; cat containers/* 2>/dev/null | sed -n 1~3p | sort -u ;;
"get kubeconfig")
  needs_engine get
  if [ -z "$(nodes)" ]; then fail "could not locate any control plane nodes for cluster named '$name'"; fi
  write_kubeconfig ;;
"load image-archive")
  needs_engine load
  if [ ! -e "$archive" ]; then fail "stat $archive: no such file or directory"; fi
  basename "$archive" > loaded ;;
*) fail "unknown command \\"$command\\" for \\"kind\\"" ;;
esac
`;
}

/** An engine: its version, info, ps, inspect, start, rm, exec of kubectl, and one network; it has every image. */
export function dockerScript(folder: string, engine: string): string {
  return `#!/bin/sh
cd "${folder}" || exit 1
echo "${engine} $*" > "calls/$$"
if [ "$1" = -v ]; then echo "${engine === "docker" ? "Docker" : engine} version 28.2.2"; exit 0; fi
if [ -e down ]; then echo "${engineDown}" >&2; exit 1; fi
code=0

describe() {
  { read -r cluster; read -r state; read -r mark; } < "containers/$1" 2>/dev/null || return 1
  running=false
  if [ "$state" = running ]; then running=true; fi
  printf '{"Id":"%s","Name":"/%s","State":{"Status":"%s","Running":%s},' "$1" "$1" "$state" "$running"
  printf '"Config":{"Labels":{"io.x-k8s.kind.cluster":"%s"}},' "$cluster"
  printf '"Mounts":[{"Type":"volume","Destination":"/var"},{"Type":"bind","Source":"/dev/null","Destination":"%s"}]}' "$mark"
}

case "$1" in
ps)
  wanted="$(echo "$*" | sed -n 's/.*io\\.x-k8s\\.kind\\.cluster=\\([^ ]*\\).*/\\1/p')"
  for path in containers/*; do
    case "$path" in "containers/*" | *.tmp) continue ;; esac
    read -r cluster < "$path" || continue
    if [ -z "$wanted" ] || [ "$cluster" = "$wanted" ]; then basename "$path"; fi
  done ;;
info) echo '{"CgroupDriver":"systemd","CgroupVersion":"2","MemoryLimit":true,"PidsLimit":true,"CPUShares":true}' ;;
run) echo "This stand-in runs no containers of its own." >&2; exit 125 ;;
inspect)
  shift
  if [ "$1" = --type=image ]; then echo '[]'; exit 0; fi
  printf '['
  comma=""
  for id in "$@"; do
    if text="$(describe "$id")"; then printf '%s%s' "$comma" "$text"; comma=","
    else echo "Error response from daemon: No such object: $id" >&2; code=1; fi
  done
  printf ']\\n' ;;
start)
  shift
  for id in "$@"; do
    if [ ! -e fails-to-stay ]; then sed -i 's/^exited$/running/' "containers/$id"; fi
    echo "$id"
  done ;;
rm)
  shift 3
  for id in "$@"; do rm -f "containers/$id"; done ;;
exec)
  if [ -e incomplete ]; then echo "The connection to the server was refused" >&2; exit 1; fi
  case "$*" in
  *"get nodes"*)
    read -r cluster < "containers/$2"
    grep -lx "$cluster" containers/* | sed 's|containers/|node/|' ;;
  *) echo "storageclass.storage.k8s.io/standard" ;;
  esac ;;
network)
  if [ "$2" = ls ]; then echo kind; exit 0; fi
  ${
    engine === "podman"
      ? `echo '[{"name":"kind","subnets":[{"subnet":"10.89.0.0/24","gateway":"10.89.0.1"}]}]'`
      : `echo '[{"Name":"kind","IPAM":{"Config":[{"Subnet":"fc00:f853:ccd:e793::/64","Gateway":"fc00:f853:ccd:e793::1"},{"Subnet":"172.18.0.0/16","Gateway":"172.18.0.1"}]}}]'`
  } ;;
*) echo "unknown command: ${engine} $1" >&2; exit 125 ;;
esac
exit $code
`;
}
