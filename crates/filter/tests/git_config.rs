//! Git itself as the oracle for its configuration: which excludes file applies in a repository, and
//! whether its rules match without regard to case. Random configurations of the system, the user,
//! the repository, the worktree and the environment include each other under random conditions.

#![cfg(unix)]

mod support;

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use heist_filter::{Environment, Filter, FilterConfig, WorkerCache};
use support::{Random, cases, each_seed, git, is_git_missing, output, walk};

/// The excludes files; each ignores a name of its own, such as `own3` or `OWN3`.
const EXCLUDES: usize = 6;

/// A repository, and the places of everything that configures it.
struct World {
    top: PathBuf,
    /// The working tree that is walked: the main one, or another one.
    work: PathBuf,
    git_dir: PathBuf,
    variables: Vec<(String, OsString)>,
}

impl World {
    fn new(random: &mut Random, directory: &Path) -> World {
        let top = fs::canonicalize(directory).unwrap();
        let repository = top.join("Jobs/repo");
        fs::create_dir_all(&repository).unwrap();
        for dir in ["home/.config/git", "xdg/git"] {
            fs::create_dir_all(top.join(dir)).unwrap();
        }
        output(git(&repository).args(["init", "-q", "-b", "main", "--template="]), b"");
        let mut world = World {
            work: repository.clone(),
            git_dir: repository.join(".git"),
            top,
            variables: Vec::new(),
        };
        if random.one_in(3) {
            let identity = ["-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "m"];
            output(git(&repository).args(identity).arg("--allow-empty"), b"");
            let add = ["worktree", "add", "-q", "-b", "topic/x", "../tree"];
            output(git(&repository).args(add), b"");
            world.work = world.top.join("Jobs/tree");
            world.git_dir = repository.join(".git/worktrees/tree");
        } else if random.one_in(3) {
            fs::write(world.git_dir.join("HEAD"), "ref: refs/heads/topic/x\n").unwrap();
        } else if random.one_in(6) {
            let detached = format!("{}\n", "1".repeat(40));
            fs::write(world.git_dir.join("HEAD"), detached).unwrap();
        }
        world
    }

    /// The value of a random path, as a configuration in `dir` may write it.
    fn path(&self, random: &mut Random, name: &str) -> String {
        match random.below(3) {
            0 => format!("~/{name}"),
            1 => self.top.join("home").join(name).display().to_string(),
            _ => name.to_owned(),
        }
    }

    fn condition(&self, random: &mut Random) -> String {
        let top = self.top.display();
        let absolute = [
            format!("gitdir:{top}/Jobs/"),
            format!("gitdir:{top}/Jobs/repo/.git"),
            format!("gitdir:{top}/*/repo/.git"),
            format!("gitdir:{top}/*/.git"),
            format!("gitdir/i:{top}/JOBS/"),
            format!("gitdir:{top}/JOBS/"),
            format!("gitdir/i:{top}/[J]obs/"),
            format!("gitdir/i:{top}/JO[A-C]S/"),
            format!("gitdir:{top}/Jobs/repo/.git/worktrees/*"),
        ];
        let relative = [
            "gitdir:Jobs/",
            "gitdir:repo/",
            "gitdir:repo/.git",
            "gitdir:.git",
            "gitdir:**/repo/**",
            "gitdir:~/",
            "gitdir:~/../Jobs/",
            "gitdir:./",
            "gitdir:./Jobs/",
            "gitdir:./../Jobs/",
            "gitdir:/",
            "gitdir:Jo*/",
            "gitdir/i:./jobs/",
            "gitdir/i:./J[o]BS/",
            "gitdir/i:./[J]obs/",
            "gitdir/i:[[:upper:]]obs/",
            "gitdir:*",
            "gitdir:",
            "onbranch:main",
            "onbranch:topic/",
            "onbranch:topic/*",
            "onbranch:*",
            "onbranch:**",
            "onbranch:m[a-c]in",
            "hasconfig:remote.*.url:https://host/**",
            "hasconfig:remote.*.url:*",
            "unknown:x",
            "hasconfig:remote.*.url:https://host/a",
            "hasconfig:remote.o.url:*",
            "GITDIR:**",
        ];
        match random.below(absolute.len() + relative.len()) {
            at if at < absolute.len() => absolute[at].clone(),
            at => relative[at - absolute.len()].to_owned(),
        }
    }

    /// A random configuration. Those that are included may include others.
    fn config(&self, random: &mut Random, includes: bool) -> String {
        let mut text = String::new();
        for _ in 0..random.below(4) {
            let excludes = format!("excludes{}", random.below(EXCLUDES));
            let included = format!("included{}", random.below(4));
            text += &match random.below(if includes { 8 } else { 4 }) {
                0 | 1 => format!("[core]\n\texcludesFile = {}\n", self.path(random, &excludes)),
                2 => format!("[Core] ignoreCase = {}\n", random.pick::<str>(&["true", "no"])),
                3 => match random.below(3) {
                    0 => "[remote \"o\"]\n\turl = https://host/a/b\n".to_owned(),
                    1 => "[remote.x]\n\turl = https://host/a\n".to_owned(),
                    _ => "[core]excludesFile =\n".to_owned(),
                },
                4 => format!("[include]\n\tpath = {}\n", self.path(random, &included)),
                _ => format!(
                    "[includeIf \"{}\"]\n\tpath = {}\n",
                    self.condition(random),
                    self.path(random, &included)
                ),
            };
        }
        text
    }

    fn fill(&mut self, random: &mut Random) {
        let excludes = |number: usize| {
            let kind = if number.is_multiple_of(2) { "own" } else { "OWN" };
            format!("{kind}{number}\n")
        };
        let home = self.top.join("home");
        for dir in [&home, &self.work, &self.git_dir] {
            for number in 0..EXCLUDES {
                if dir == &home || random.one_in(3) {
                    fs::write(dir.join(format!("excludes{number}")), excludes(number)).unwrap();
                }
            }
            for number in 0..4 {
                if random.one_in(2) {
                    let config = self.config(random, number < 3);
                    fs::write(dir.join(format!("included{number}")), config).unwrap();
                }
            }
        }
        for usual in ["home/.config/git/ignore", "xdg/git/ignore"] {
            fs::write(self.top.join(usual), "usual\n").unwrap();
        }
        for file in ["home/.config/git/config", "xdg/git/config", "home/.gitconfig", "global"] {
            if random.one_in(2) {
                fs::write(self.top.join(file), self.config(random, true)).unwrap();
            }
        }
        let includes = random.one_in(2);
        fs::write(self.top.join("system"), self.config(random, includes)).unwrap();
        self.fill_repository(random);
        self.set_variables(random);
        let mut names = vec!["usual".to_owned()];
        (0..EXCLUDES).for_each(|n| names.extend([format!("own{n}"), format!("OWN{n}")]));
        names.iter().for_each(|name| fs::write(self.work.join(name), "").unwrap());
    }

    fn fill_repository(&self, random: &mut Random) {
        let common = self.top.join("Jobs/repo/.git/config");
        let mut config = fs::read_to_string(&common).unwrap();
        config += &self.config(random, true);
        if random.one_in(3) {
            config += random.pick::<str>(&[
                "[extensions]\n\tworktreeConfig = true\n",
                "[extensions]\n\tworktreeConfig\n",
                "[extensions]\n\tworktreeConfig = off\n",
            ]);
        }
        fs::write(common, config).unwrap();
        if random.one_in(2) {
            fs::write(self.git_dir.join("config.worktree"), self.config(random, true)).unwrap();
        }
    }

    fn set_variables(&mut self, random: &mut Random) {
        let top = self.top.clone();
        let mut set = |name: &str, value: OsString| self.variables.push((name.to_owned(), value));
        set("HOME", top.join("home").into());
        set("GIT_CONFIG_SYSTEM", top.join("system").into());
        if random.one_in(3) {
            set("XDG_CONFIG_HOME", top.join("xdg").into());
        }
        if random.one_in(3) {
            set(
                "GIT_CONFIG_GLOBAL",
                random.pick::<Path>(&[&top.join("global"), "".as_ref()]).into(),
            );
        }
        if random.one_in(6) {
            set("GIT_CONFIG_NOSYSTEM", random.pick::<str>(&["1", "0", "yes"]).into());
        }
        let settings = [
            ("core.excludesfile", top.join("home/excludes0").display().to_string()),
            ("CORE.excludesFile", "~/excludes1".to_owned()),
            ("core.ignoreCase", random.pick::<str>(&["true", "false"]).to_owned()),
            ("include.path", top.join("home/included1").display().to_string()),
            ("includeIf.onbranch:main.path", "~/included0".to_owned()),
            ("remote.o.x.url", "https://host/a".to_owned()),
        ];
        let mut pick = || &settings[random.below(settings.len())];
        let picked = [pick(), pick(), pick()];
        match random.below(6) {
            0 => {
                set("GIT_CONFIG_COUNT", "2".into());
                for (number, (name, value)) in picked[..2].iter().enumerate() {
                    set(&format!("GIT_CONFIG_KEY_{number}"), name.into());
                    set(&format!("GIT_CONFIG_VALUE_{number}"), value.into());
                }
            }
            1 => {
                let (name, value) = picked[2];
                set("GIT_CONFIG_PARAMETERS", format!("'{name}'='{value}'").into());
            }
            _ => {}
        }
    }

    /// The names that git ignores, and the file that decides; `None` if git rejects the
    /// configuration.
    fn judged(&self) -> Option<Vec<(String, String)>> {
        let mut names: Vec<String> = fs::read_dir(&self.work)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name != ".git")
            .collect();
        names.sort();
        let mut git: Command = git(&self.work);
        git.env_remove("GIT_CONFIG_NOSYSTEM").env_remove("GIT_CONFIG_GLOBAL");
        git.envs(self.variables.iter().map(|(name, value)| (name, value)));
        git.args(["check-ignore", "--no-index", "--stdin", "-vz"]);
        let input = self.top.join("names");
        fs::write(&input, names.join("\0")).unwrap();
        let output = git.stdin(fs::File::open(input).unwrap()).output().unwrap();
        if !matches!(output.status.code(), Some(0 | 1)) {
            return None;
        }
        let text = String::from_utf8(output.stdout).unwrap();
        let fields: Vec<&str> = text.split('\0').collect();
        let base = |path: &str| path.rsplit('/').next().unwrap().to_owned();
        Some(
            fields
                .as_chunks::<4>()
                .0
                .iter()
                .map(|rule| (rule[3].to_owned(), base(rule[0])))
                .collect(),
        )
    }

    /// For each path, the file with the rule by which the filter ignores it.
    fn found(&self) -> Vec<(String, String)> {
        let environment = Environment::from_variables(|name| {
            self.variables.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
        });
        let config = FilterConfig { environment, ..FilterConfig::like_git(&self.top) };
        let filter = Filter::new(config).unwrap();
        let mut found = Vec::new();
        let mut cache = WorkerCache::default();
        walk(&filter, &self.work, &mut cache, &mut |entry| {
            if !entry.path.contains(&b'/')
                && let Some((path, _)) = &entry.rule
            {
                let file = path.file_name().unwrap().to_str().unwrap().to_owned();
                found.push((String::from_utf8(entry.path.to_vec()).unwrap(), file));
            }
        });
        assert_eq!(cache.problems, []);
        found.sort();
        found
    }
}

#[test]
fn random_configurations_choose_the_excludes_file_that_git_chooses() {
    if is_git_missing() {
        return;
    }
    let judged = std::sync::atomic::AtomicUsize::new(0);
    let count = cases(150);
    each_seed(count, |seed| {
        let mut random = Random::new(seed);
        let directory = tempfile::tempdir_in(skipped_tests::place()).unwrap();
        let mut world = World::new(&mut random, directory.path());
        world.fill(&mut random);
        if let Some(expected) = world.judged() {
            judged.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let found = world.found();
            if found != expected {
                let kept = directory.keep();
                panic!(
                    "seed {seed}: git finds {expected:?}, not {found:?} in {} with {:?}",
                    kept.display(),
                    world.variables
                );
            }
        }
    });
    let judged = judged.into_inner();
    assert!(judged > count / 2, "git rejects too many of the {count} configurations: {judged}");
}
