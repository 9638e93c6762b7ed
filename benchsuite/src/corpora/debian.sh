# Fetches sources that Debian and its derivatives distribute, by their tools. It runs in an empty
# directory as `sh debian.sh linux TARGET` or `sh debian.sh chromium TARGET`, makes the directory
# TARGET and reports on standard error where its files are from.
#
# apt-get keeps its lists and everything else in the directory: nothing of the system changes, and
# root is not needed. Signatures are checked as usual.
set -eu

# The lists of the system's package sources.
system=/etc/apt
list=$system/sources.list
lists=$system/sources.list.d

fail() {
    echo "$*" >&2
    exit 1
}

# Runs a program of apt. The user it would fetch as may not write here, which concerns only root.
apt() {
    program=$1
    shift
    command -v "$program" >/dev/null ||
        fail "$program is not installed, without which Debian's packages cannot be fetched"
    "$program" -o Dir::State::Lists="$PWD/apt/lists" -o Dir::Cache="$PWD/apt/cache" \
        -o Dir::Etc::SourceList="$list" -o Dir::Etc::SourceParts="$lists" \
        -o APT::Sandbox::User=root -o Acquire::Languages=none "$@"
}

update() {
    mkdir -p apt/lists/partial apt/cache
    apt apt-get update -qq
}

# Unpacks the first archive that exists, of any compression, without its top directory.
unpack() {
    target=$1
    shift
    for archive; do
        if [ -f "$archive" ]; then
            mkdir "$target"
            tar -xf "$archive" -C "$target" --strip-components=1 --no-same-owner
            return
        fi
    done
    fail "there is no $*"
}

# The first package with sources in the output of `apt-cache depends`.
needed_package() {
    sed -n '/^ *Depends: linux-source-/{s/.*: //p;q}'
}

linux() {
    update
    package=$(apt apt-cache depends linux-source | needed_package)
    [ -n "$package" ] || fail "the package linux-source needs no package with sources"
    apt apt-get download -qq "$package" >&2
    dpkg-deb -x "$package"_*.deb contents
    # Debian has the archive in the directory, Ubuntu in one of the package's name below it.
    unpack "$1" contents/usr/src/linux-source*.tar.* contents/usr/src/"$package"/linux-source*.tar.*
    echo "Debian's package $(basename "$package"_*.deb .deb)" >&2
}

# Each line `deb ...` twice, once as `deb-src ...`.
with_source_lines() {
    sed -E 's/^[[:space:]]*deb (.*)$/&\ndeb-src \1/'
}

# Each field `Types: deb` with both types.
with_source_types() {
    sed -E 's/^types: ?deb$/Types: deb deb-src/I'
}

# The newest source package whose files are still in the archive.
chromium() {
    list=$PWD/sources.list
    lists=$PWD/sources.list.d
    mkdir "$lists"
    : >"$list"
    [ ! -f $system/sources.list ] || with_source_lines <$system/sources.list >"$list"
    for file in $system/sources.list.d/*.list; do
        [ ! -f "$file" ] || with_source_lines <"$file" >"$lists/${file##*/}"
    done
    for file in $system/sources.list.d/*.sources; do
        [ ! -f "$file" ] || with_source_types <"$file" >"$lists/${file##*/}"
    done
    update
    # The newest comes last, and what is superseded is removed first.
    for version in $(apt apt-cache showsrc chromium | sed -n 's/^Version: //p' | tac); do
        # An archive lists versions whose files have been moved elsewhere: the next one is tried.
        if apt apt-get source --download-only -qq "chromium=$version" >&2; then
            # The part after the dash counts Debian's changes, of which the archive has none.
            unpack "$1" "chromium_${version%-*}".orig.tar.*
            echo "Debian's source package chromium $version" >&2
            return
        fi
        echo "chromium=$version: it could not be fetched" >&2
    done
    fail "no version of the source package chromium could be fetched"
}

"$@"
