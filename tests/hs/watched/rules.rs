//! Rules of which the index has the verdicts: each way in which they change is noticed, in a tree
//! that a process watches, and in one whose stamps are taken.

use std::{fs, thread, time::Duration};

use skipped_tests::skip;

use super::Watched;
use crate::harness::{TempTree, sys};

/// Flags under which other rules are in force.
const FLAGS: [&[&str]; 13] = [
    &["--no-ignore"],
    &["--no-ignore-vcs"],
    &["--no-ignore-dot"],
    &["--no-ignore-exclude"],
    &["--no-ignore-global"],
    &["--no-ignore-parent"],
    &["--no-require-git"],
    &["--ignore-file-case-insensitive"],
    &["--hidden"],
    &["-g", "!emerald.c"],
    &["-tc"],
    &["--ignore-file", "../more"],
    &["--safe"],
];

/// Fills a tree, indexes it, and checks that each step is noticed.
#[track_caller]
fn notices(name: &str, fill: impl Fn(&TempTree), steps: &[&dyn Fn(&TempTree)]) {
    for is_watched in [false, true] {
        let mut watched = Watched::filled(&format!("watched_{name}_{is_watched}"));
        watched.tree.file("d/.ignore", "two.c\n").file("../more", "one.c\n");
        fill(&watched.tree);
        watched.update();
        if is_watched {
            watched.watch();
            watched.knows();
        }
        check(&watched);
        for step in steps {
            step(&watched.tree);
            check(&watched);
        }
        if is_watched {
            watched.knows();
        }
    }
}

#[track_caller]
fn check(watched: &Watched) {
    for path in ["./", "d/e"] {
        watched.check_in(path, |args| watched.run(args));
    }
    for flags in FLAGS {
        let result = |index| {
            let output = watched.run(&[&[index, "--sort=path", "--files"], flags].concat());
            (output.stdout, output.stderr, output.status.code())
        };
        assert_eq!(result("--index=auto"), result("--index=never"), "{flags:?}");
    }
}

/// Writes a file that may be there already.
fn write(tree: &TempTree, path: &str, text: &str) {
    fs::write(tree.join(path), text).unwrap();
}

#[test]
fn rules_that_change_are_noticed() {
    let fill = |tree: &TempTree| {
        tree.file("a/.ignore", "two.c\n").file("a/b/.gitignore", "*.txt\n");
    };
    notices(
        "changed_rules",
        fill,
        &[
            // Those above, those of the directory, and both.
            &|tree| write(tree, "a/.ignore", "one.c\n"),
            &|tree| write(tree, "a/b/.gitignore", "*.c\n"),
            &|tree| write(tree, "d/.gitignore", "e/\n"),
            &|tree| write(tree, "d/.gitignore", ""),
            &|tree| write(tree, "d/.gitignore", "[z-a]\n*.txt\n"),
            &|tree| fs::remove_file(tree.join("a/.ignore")).unwrap(),
        ],
    );
}

#[test]
fn rules_of_equal_length_and_time_are_noticed() {
    let rewrite = |tree: &TempTree, text: &str| {
        let path = tree.join("d/.gitignore");
        let modified = fs::metadata(&path).unwrap().modified().unwrap();
        fs::write(&path, text).unwrap();
        fs::File::options().write(true).open(&path).unwrap().set_modified(modified).unwrap();
    };
    notices(
        "same_rules",
        |_| {},
        &[&|tree| rewrite(tree, "t*.c\n"), &|tree| rewrite(tree, "*.*\n\n")],
    );
}

#[test]
fn rules_that_appear_are_noticed() {
    notices(
        "new_rules",
        |_| {},
        &[
            &|tree| write(tree, "a/b/.rgignore", "three.txt\n"),
            &|tree| write(tree, "a/.gitignore", "one.c\n"),
            &|tree| write(tree, ".ignore", "c/\n"),
            &|tree| write(tree, "d/e/.ignore", "!two.c\nemerald.c\n"),
        ],
    );
}

#[test]
fn repositories_that_appear_are_noticed() {
    let fill = |tree: &TempTree| {
        tree.file(".gitignore", "one.c\n").file("a/b/.gitignore", "two.c\n");
    };
    notices(
        "new_repositories",
        fill,
        &[
            &|tree| fs::create_dir(tree.join("d/.git")).unwrap(),
            &|tree| fs::create_dir(tree.join("a/b/.jj")).unwrap(),
            &|tree| fs::remove_dir(tree.join("d/.git")).unwrap(),
            // No rule of git is in force.
            &|tree| fs::remove_dir_all(tree.join(".git")).unwrap(),
        ],
    );
}

#[test]
fn rules_outside_of_the_tree_are_noticed() {
    let fill = |tree: &TempTree| {
        tree.git_init("a/b").file("a/b/.gitignore", "three.txt\n");
    };
    notices(
        "rules_elsewhere",
        fill,
        &[
            &|tree| _ = tree.file(".git/info/exclude", "one.c\n"),
            &|tree| _ = tree.file("a/b/.git/info/exclude", "two.c\n"),
            &|tree| _ = tree.file("../home/.config/git/ignore", "emerald.c\n"),
            &|tree| _ = tree.file("../home/excludes", "three.*\n"),
            &|tree| _ = tree.file("../home/.gitconfig", "[core]\nexcludesFile = ~/excludes\n"),
            &|tree| _ = tree.file(".git/config", "[core]\nignoreCase = true\n"),
            &|tree| _ = tree.file("a/b/.git/config", "[core]\nexcludesFile = ../more\n"),
            &|tree| _ = tree.file("../.gitignore", "one.c\n"),
            &|tree| _ = tree.file("../.ignore", "c/\n"),
            &|tree| write(tree, "../more", "three.txt\n"),
        ],
    );
}

#[test]
fn rules_that_are_links_are_noticed() {
    let fill = |tree: &TempTree| {
        tree.file("../elsewhere", "one.c\n");
        sys::symlink("../../elsewhere", tree.join("a/.ignore")).unwrap();
        sys::symlink("../../elsewhere", tree.join("a/b/.gitignore")).unwrap();
    };
    let replace = |tree: &TempTree, path: &str| {
        fs::remove_file(tree.join(path)).unwrap();
        sys::symlink(tree.join("../elsewhere"), tree.join(path)).unwrap();
    };
    notices(
        "linked_rules",
        fill,
        &[
            &|tree| write(tree, "../elsewhere", "two.c\n"),
            &|tree| replace(tree, "d/.ignore"),
            &|tree| write(tree, "../elsewhere", "three.txt\n"),
            &|tree| replace(tree, "d/.gitignore"),
            &|tree| fs::remove_file(tree.join("../elsewhere")).unwrap(),
        ],
    );
}

#[test]
fn repositories_behind_links_are_noticed() {
    let fill = |tree: &TempTree| {
        tree.file(".gitignore", "one.c\n").file("a/b/.ignore", "two.c\n");
        for (target, link) in [("../../git", "d/.git"), ("../../../jj", "a/b/.jj")] {
            sys::symlink(target, tree.join(link)).unwrap();
        }
        tree.dir("../git").dir("../jj");
    };
    // Outside of repositories, rules of git are not in force.
    let no_git = |tree: &TempTree| fs::remove_dir_all(tree.join(".git")).unwrap();
    let rename = |tree: &TempTree, from: &str, to: &str| {
        fs::rename(tree.join(from), tree.join(to)).unwrap();
    };
    notices(
        "linked_repositories",
        |tree| {
            fill(tree);
            no_git(tree);
        },
        &[
            &|tree| rename(tree, "../git", "../gone"),
            &|tree| rename(tree, "../jj", "../git"),
            &|tree| rename(tree, "../gone", "../jj"),
        ],
    );
    notices("linked_repositories_in_one", fill, &[&|tree| rename(tree, "../git", "../gone")]);
}

#[test]
fn rules_mounted_in_the_place_of_others_are_noticed() {
    let watched = Watched::filled("watched_mounted_rules");
    watched.tree.file("d/e/.ignore", "").file("../rules", "*.c\n");
    thread::sleep(Duration::from_millis(130));
    let script = "mount --bind ../rules d/e/.ignore
        for mode in update watch; do \"$@\" -q --index-$mode; done
        echo 't*' > ../rules
        for index in auto never; do \"$@\" --files --index=$index --sort=path d; done
        \"$@\" -q --index-unwatch";
    let Ok(output) = watched.in_namespace(script, &[]).output() else {
        return skip("unshare is not installed");
    };
    if String::from_utf8_lossy(&output.stderr).contains("unshare") {
        return skip(super::NO_NAMESPACES);
    }
    let found = String::from_utf8_lossy(&output.stdout).into_owned();
    let once = "d/e/emerald.c\nd/e/one.c\nd/one.c\nd/two.c\n";
    assert_eq!(found, once.repeat(2), "{output:?}");
}

#[test]
fn rules_with_other_names_are_noticed() {
    let fill = |tree: &TempTree| {
        tree.file("../name", "one.c\n").file("a/b/.ignore", "three.txt\n");
        fs::hard_link(tree.join("../name"), tree.join("a/.ignore")).unwrap();
    };
    notices(
        "names_of_rules",
        fill,
        &[
            &|tree| write(tree, "../name", "two.c\n"),
            &|tree| fs::hard_link(tree.join("a/b/.ignore"), tree.join("d/x")).unwrap(),
            &|tree| write(tree, "d/x", "one.c\n"),
        ],
    );
}

#[test]
fn rules_in_names_of_another_case_are_as_without_an_index() {
    let fill = |tree: &TempTree| {
        tree.file("a/.GitIgnore", "one.c\n").file("a/b/.IGNORE", "[z-a]\n");
    };
    notices(
        "case_of_rules",
        fill,
        &[
            &|tree| write(tree, "a/.GitIgnore", "two.c\n"),
            &|tree| fs::rename(tree.join("a/.GitIgnore"), tree.join("a/.gitignore")).unwrap(),
            &|tree| fs::rename(tree.join("a/b/.IGNORE"), tree.join("a/b/.ignore")).unwrap(),
        ],
    );
}

#[test]
fn rules_of_directories_that_move_are_noticed() {
    let fill = |tree: &TempTree| {
        tree.file("a/b/.ignore", "one.c\n").file("d/e/.ignore", "emerald.c\n");
    };
    let swap = |tree: &TempTree, one: &str, other: &str| {
        let aside = tree.join("../aside");
        fs::rename(tree.join(one), &aside).unwrap();
        fs::rename(tree.join(other), tree.join(one)).unwrap();
        fs::rename(aside, tree.join(other)).unwrap();
    };
    notices(
        "moved_rules",
        fill,
        &[
            &|tree| swap(tree, "a/b", "d/e"),
            &|tree| swap(tree, "a/b/.ignore", "d/e/.ignore"),
            &|tree| swap(tree, "a", "d"),
        ],
    );
}

#[test]
fn rules_that_are_as_new_as_the_index_are_not_trusted() {
    let watched = Watched::filled("watched_young_rules");
    let output = watched.run(&["--index-update"]);
    assert!(output.status.success(), "{output:?}");
    // Within a tick of the clock, stamps stay equal.
    for (rules, others) in [("*.c\n", "t*c\n"), ("e/*\n", "*.*\n"), ("o.c\n", "e.*\n")] {
        write(&watched.tree, "d/.gitignore", rules);
        let output = watched.run(&["--index-update"]);
        write(&watched.tree, "d/.gitignore", others);
        assert!(output.status.success(), "{output:?}");
        watched.check();
    }
}
