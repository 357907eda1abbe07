# Sourced by scripts that need volumes with real bytes: a one-node Kubernetes with MinIO beside it, Landfall's server and node agent in pods of it,
# and a namespace `shop` whose database has a `local` volume and whose web server an emptyDir. Sets KUBECONFIG, $work, $agent_pods and the functions
# below; everything is gone when the script ends.
cluster=$(cd "$(dirname "${BASH_SOURCE[0]}")/../cluster" && pwd)
source "$cluster/settings.sh"
work=$(mktemp -d)
volumes=/var/tmp/landfall-volumes # the server's pod sees it, too
disk=$volumes/database
minio=
finish() {
  "$cluster/down"
  if [ -n "$minio" ]; then kill "$minio" 2> /dev/null || true; wait "$minio" 2> /dev/null || true; fi
  rm -rf "$work" "$volumes"
}
"$cluster/down"
trap finish EXIT
KUBECONFIG=$("$cluster/up")
export KUBECONFIG
pause() { read -rt "$1" <> <(:) || true; }
fail() {
  echo "FAILED: $*"
  kubectl -n shop get pods -o 'custom-columns=POD:.metadata.name,INIT:.status.initContainerStatuses[*].state,STATE:.status.containerStatuses[*].state' || true
  kubectl -n shop get events --sort-by=.lastTimestamp | tail -8 || true
  kubectl -n shop logs -l app=db -c restore-wait --tail 3 || true
  kubectl -n velero logs deployment/velero --tail 30 || true
  kubectl -n velero logs daemonset/node-agent --tail 30 || true
  kubectl -n velero get podvolumebackups,podvolumerestores,volumepluginbackups,volumepluginrestores -o yaml | grep -A25 'status:' | tail -60 || true
  exit 1
}
# await WHAT COMMAND…: tries for five minutes and more.
await() {
  local what=$1
  shift
  for _ in $(seq 1500); do "$@" && return; pause 0.2; done
  fail "$what"
}

s3_url=http://$bridge_ip:9123
MINIO_ROOT_USER=landfall MINIO_ROOT_PASSWORD=landfall-secret MINIO_BROWSER=off \
  "$s3bin/minio" server --quiet --address "$bridge_ip:9123" "$work/minio" > "$work/minio.log" 2>&1 &
minio=$!
mkdir -p "$work/minio/backups"

# install LANDFALL [RESTIC]
install() {
  "$cluster/landfall-image" docker.io/library/landfall:test "$1" "${2:-restic}" > /dev/null
  prepare_namespace "$1"
  run_programs docker.io/library/landfall:test
}
# prepare_namespace LANDFALL: all that server and agent need.
prepare_namespace() {
  kubectl create namespace velero > /dev/null
  "$1" install --crds-only > /dev/null
  kubectl -n velero create secret generic cloud-credentials \
    --from-literal "cloud=$(printf '[default]\naws_access_key_id=landfall\naws_secret_access_key=landfall-secret\n')" > /dev/null
  kubectl apply -f - > /dev/null << YAML
apiVersion: v1
kind: ServiceAccount
metadata: {name: velero, namespace: velero}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: velero}
subjects: [{kind: ServiceAccount, name: velero, namespace: velero}]
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
---
apiVersion: velero.io/v1
kind: BackupStorageLocation
metadata: {name: default, namespace: velero}
spec:
  provider: aws
  default: true
  objectStorage: {bucket: backups, prefix: cluster-a}
  credential: {name: cloud-credentials, key: cloud}
  config: {region: us-east-1, s3ForcePathStyle: "true", s3Url: "$s3_url"}
YAML
}
# run_programs IMAGE [ARGUMENT]: server and agent of that image, in the place of others.
run_programs() {
  kubectl apply -f - > /dev/null << YAML
apiVersion: apps/v1
kind: Deployment
metadata: {name: velero, namespace: velero, labels: {component: velero}}
spec:
  selector: {matchLabels: {deploy: velero}}
  template:
    metadata: {labels: {component: velero, deploy: velero}}
    spec:
      serviceAccountName: velero
      securityContext: {runAsUser: 0}
      containers:
      - name: velero
        image: "$1"
        imagePullPolicy: Never
        command: [/velero]
        args: [server${2:+, "$2"}]
        env: [{name: VELERO_NAMESPACE, value: velero}]
        volumeMounts: [{name: volumes, mountPath: $volumes}]
      volumes: [{name: volumes, hostPath: {path: $volumes, type: DirectoryOrCreate}}]
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: node-agent, namespace: velero, labels: {component: velero}}
spec:
  selector: {matchLabels: {name: node-agent}}
  template:
    metadata: {labels: {component: velero, name: node-agent, role: node-agent}}
    spec:
      serviceAccountName: velero
      securityContext: {runAsUser: 0}
      containers:
      - name: node-agent
        image: "$1"
        imagePullPolicy: Never
        command: [/velero]
        args: [node-agent, server]
        env: [{name: NODE_NAME, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}, {name: VELERO_NAMESPACE, value: velero}, {name: VELERO_SCRATCH_DIR, value: /scratch}]
        volumeMounts: [{name: host-pods, mountPath: /host_pods, mountPropagation: HostToContainer}, {name: scratch, mountPath: /scratch}]
      volumes: [{name: host-pods, hostPath: {path: $state/kubelet/pods}}, {name: scratch, emptyDir: {}}]
YAML
  kubectl -n velero rollout status deployment/velero daemonset/node-agent --timeout=120s > /dev/null || fail "the programs do not start"
  await "the location does not become available" is_available
}
is_available() { [ "$(kubectl -n velero get bsl default -o 'jsonpath={.status.phase}')" = Available ]; }

# How the volume of the database is backed up: file by file, unless a script says otherwise.
database_annotation='backup.velero.io/backup-volumes: data'

# A volume for the database, empty.
add_volume() {
  rm -rf "$disk"
  mkdir -p "$disk"
  kubectl apply -f - > /dev/null << YAML
apiVersion: v1
kind: PersistentVolume
metadata: {name: disk}
spec:
  capacity: {storage: 10Gi}
  accessModes: [ReadWriteOnce]
  persistentVolumeReclaimPolicy: Retain
  storageClassName: local
  local: {path: $disk}
  nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [localhost]}]}]}}
YAML
}
open_shop() {
  add_volume
  kubectl create namespace shop > /dev/null
  kubectl apply -f - > /dev/null << YAML
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, namespace: shop}
spec:
  serviceName: db
  replicas: 1
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}, annotations: {$database_annotation}}
    spec:
      terminationGracePeriodSeconds: 0
      containers: [{name: db, image: "docker.io/library/busybox:test", imagePullPolicy: Never, command: [sh, -c, "ls -A /data > /tmp/found; exec sleep 100000"], volumeMounts: [{name: data, mountPath: /data}]}]
  volumeClaimTemplates: [{metadata: {name: data}, spec: {storageClassName: local, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}, annotations: {backup.velero.io/backup-volumes: cache}}
    spec:
      terminationGracePeriodSeconds: 0
      containers: [{name: web, image: "docker.io/library/busybox:test", imagePullPolicy: Never, command: [sh, -c, "ls -A /cache > /tmp/found; exec sleep 100000"], volumeMounts: [{name: cache, mountPath: /cache}]}]
      volumes: [{name: cache, emptyDir: {}}]
YAML
  shop_runs
}
shop_has_pods() { [ "$(kubectl -n shop get pods -o name | wc -l)" = 2 ]; }
shop_runs() {
  await "the shop does not open" shop_has_pods
  kubectl -n shop wait --for=condition=Ready pods --all --timeout=120s > /dev/null || fail "the shop does not open"
}
# With the bytes of its volumes.
lose_shop_and_disk() {
  kubectl delete namespace shop --wait --timeout=120s > /dev/null
  kubectl delete pv disk --wait --timeout=60s > /dev/null
  rm -rf "$disk"
}
# An empty disk takes the place of the old one.
lose_shop() {
  lose_shop_and_disk
  add_volume
}
# The emptyDir of the web server, as the node has it.
cache_directory() {
  echo "$state/kubelet/pods/$(kubectl -n shop get pod -l app=web -o 'jsonpath={.items[0].metadata.uid}')/volumes/kubernetes.io~empty-dir/cache"
}
# Everything in a directory: mode, owner, time, links, size, and digests of files.
tree() (
  cd "$1"
  find . -mindepth 1 -path ./.velero -prune -o -mindepth 1 ! -name lost+found -printf '%P %y %m %U:%G %T@ %n %s %l\n' | sed -E 's/^(.* d .*) [0-9]+ [0-9]+ $/\1/' | sort
  find . -path ./.velero -prune -o -type f -print0 | sort -z | xargs -0r sha256sum
)

# create KIND NAME SPEC
create() {
  kubectl create -f - > /dev/null <<< "{apiVersion: velero.io/v1, kind: $1, metadata: {name: $2, namespace: velero}, spec: $3}"
}
field() { kubectl -n velero get "$1" "$2" -o "jsonpath={$3}"; } # KIND NAME PATH
is_over() { case $(field "$1" "$2" .status.phase) in Completed | PartiallyFailed | Failed | FailedValidation) ;; *) false ;; esac; }
# watch_bytes KIND FILE: the progress of volumes of a kind as it is seen from outside, a line for each change, until $watcher is killed:
# SECONDS VOLUME DONE TOTAL PHASE; a VolumePluginRestore knows no volume but its snapshot
watch_bytes() {
  local name=.spec.volume
  [ "$1" != volumepluginrestores ] || name=.spec.snapshotID
  kubectl -n velero get "$1" --watch-only -o 'jsonpath={'$name'} {.status.progress.bytesDone} {.status.progress.totalBytes} {.status.phase}{"\n"}' \
    > >(while read -r line; do echo "$EPOCHREALTIME $line"; done > "$2") 2> /dev/null &
  watcher=$!
  pause 1 # until it watches
}
# took FILE VOLUME: seconds from the first InProgress to the end.
took() { awk -v volume="$2" '$2 == volume && $NF == "InProgress" && !begun {begun = $1} $2 == volume && $NF == "Completed" {print $1 - begun; exit}' "$1"; }
# bytes_rose FILE [VOLUME]: they never fell, moved on the way, and ended at the total.
bytes_rose() {
  awk -v volume="${2:-}" '(volume == "" || $2 == volume) && NF == 5 {if ($3 + 0 < last) fell = 1; if ($3 > 0 && $3 < $4) between++; last = $3 + 0; total = $4 + 0}
    END {printf "%s%.0f bytes, seen %d times on the way\n", volume == "" ? "" : volume ": ", last, between; exit fell || !between || last != total}' "$1"
}

# accounted RESTORE METHOD: the restore tells how the database's claim got its data, in Velero's shape; the real velero reads it.
accounted() {
  "$landfall" restore describe "$1" --details -o json > "$work/described.json" 2> "$work/err" || fail "describe: $(cat "$work/err")"
  "$cluster/../real/volume_row" "$work/described.json" "$2" shop/data-db-0 || fail "the volume information of restore $1"
  if [ -x "${LANDFALL_REAL_VELERO:-}" ]; then
    "$LANDFALL_REAL_VELERO" restore describe "$1" --details > "$work/by_velero" 2> "$work/err" || fail "velero describe: $(cat "$work/err")"
    ! grep '<error' "$work/by_velero" || fail "velero cannot read what the restore says of its volumes"
  fi
}
