# Sourced by the scripts here: where things lie. Each can be set from outside.
version=1.34.4
cache=${LANDFALL_CACHE:-$HOME/.cache/landfall}
bin=${CLUSTER_BIN:-$cache/real/kubernetes-$version}
s3bin=${S3_BIN:-$cache/real/s3}
state=${CLUSTER_STATE:-/var/tmp/landfall-cluster}
port=${CLUSTER_PORT:-16443}
bridge=cni-landfall bridge_ip=10.88.0.1
export PATH=$bin:$PATH
