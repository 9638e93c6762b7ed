/// <reference types="node" />

/** A path: a string, or bytes where it is not UTF-8. */
export type Path = string | Uint8Array;

/** What selects files. */
export interface SelectOptions {
  /** Globs, one or several: files that match, or lie in a directory that does. */
  only?: string | Iterable<string>;
  /** Globs of files and directories that are left out. */
  exclude?: string | Iterable<string>;
  /** File types, as `hs --type-list` prints them. */
  types?: string | Iterable<string>;
  /** File types that are left out. */
  excludeTypes?: string | Iterable<string>;
  /** Hidden files too. */
  hidden?: boolean;
  /** Ignored files too. */
  ignored?: boolean;
  /** How many directories deep. */
  maxDepth?: number;
  /** Files that were modified later: a Date, or ms since 1970. */
  newer?: Date | number;
  /** Files that were modified earlier. */
  older?: Date | number;
  /** `true`: files that differ from git's index, and untracked ones; a commit: from that. */
  changed?: boolean | string;
  /** One of several parts of the tree, such as `3/64`. */
  shard?: string;
  /** How the tree is divided. */
  shardBy?: "file" | "directory";
  /** The order. */
  sort?: "path" | "modified" | "accessed" | "created";
  /** The order is the other way round. */
  reverse?: boolean;
  /** How many threads search. */
  threads?: number;
}

/** How a pattern is read. */
export interface PatternOptions {
  /** Without regard to case. */
  ignoreCase?: boolean;
  /** The pattern is a name in any form: `get_user` finds `getUser`. */
  anyCase?: boolean;
  /** Whole words. */
  word?: boolean;
  /** The pattern is text. */
  literal?: boolean;
  /** Matches may span lines. */
  multiline?: boolean;
  /** `.` matches line feeds. */
  dotAll?: boolean;
}

/** The options of a search. */
export interface SearchOptions extends SelectOptions, PatternOptions {
  /** Lines around each hit: a number, or those before and those behind. */
  context?: number | readonly [before: number, after: number];
  /** Binary files are searched like text. */
  binary?: boolean;
  /** Lines to show. */
  limit?: number;
  /** Lines to pass over before. */
  offset?: number;
  /** How long the search may take, in ms. */
  timeout?: number;
  /** `true` uses the indexes of `hs --index-update`; a path is where they lie. */
  index?: boolean | Path;
  /** How many files that were left out are named. */
  skipped?: number;
  /** Ends the search; its iterators throw the reason. */
  signal?: AbortSignal;
}

/** The options of a walk. */
export interface WalkOptions extends SelectOptions {
  /** Directories too. */
  directories?: boolean;
  /** Symbolic links too. */
  symlinks?: boolean;
  /** Symbolic links are followed. */
  follow?: boolean;
  /** Ends the walk; its iterators throw the reason. */
  signal?: AbortSignal;
}

/** What a search or a walk could not do. */
export class SearchError extends Error {
  private constructor();
  /**
   * The name of the system's error, such as `ENOENT`, or `ERR_PATTERN`, `ERR_FILTER`,
   * `ERR_RULE_FILE`, `ERR_PATH` or `ERR_SEARCH`.
   */
  readonly code: string;
  /** The path that the error is about, if it is about one. */
  readonly path?: string;
  /** The number of the system's error, negative as in Node. */
  readonly errno?: number;
}

/** A line before or behind a hit. */
export interface ContextLine {
  /** The number of the line, from 1. */
  readonly line: number;
  /** The line without its terminator. */
  readonly text: string;
  /** Whether the line matches too. */
  readonly isMatch: boolean;
}

/** A pair of offsets, from 0: where something begins and where it ends. */
export type Span = readonly [start: number, end: number];

/** A line that matches, or the lines that a match across lines touches. */
export class Hit {
  private constructor();
  /** The file, below the root as the root was given. */
  readonly path: string;
  /** The file, also where its path is not UTF-8. */
  readonly pathBytes: Buffer;
  /** The number of the line, from 1. */
  readonly line: number;
  /** Where the first match begins in the line: a number of UTF-16 units, from 1. */
  readonly column: number;
  /** Where the first match ends: the column behind its last character. */
  readonly end: number;
  /** Where the line begins in the file: a number of bytes, from 0. */
  readonly offset: number;
  /** The line without its terminator. Bytes that are not UTF-8 become U+FFFD. */
  readonly text: string;
  /** The line without its terminator, as it is in the file. */
  readonly bytes: Buffer;
  /** The matches in `text`, for `slice`. */
  readonly spans: readonly Span[];
  /** The matches in `bytes`. */
  readonly byteSpans: readonly Span[];
  /** The groups of the first match, from the first on; `undefined` for one that took no part. */
  readonly groups: readonly (string | undefined)[];
  /** The groups of the first match that have a name. */
  readonly named: Readonly<Record<string, string | undefined>>;
  /** The lines before, as many as `context` requests. */
  readonly before: readonly ContextLine[];
  /** The lines behind. */
  readonly after: readonly ContextLine[];
  /** The hit as `path:line:text`. */
  toString(): string;
}

/** A file or directory that was left out. */
export interface Skipped {
  /** Its path. A directory was left out with all that is below it. */
  readonly path: string;
  /** The reason in a word. */
  readonly kind:
    | "ignored"
    | "hidden"
    | "not selected"
    | "limit"
    | "link"
    | "no regular file"
    | "repeated"
    | "other file system"
    | "other worktree"
    | "submodule"
    | "binary"
    | "other";
  /** The reason, such as `ignored by .gitignore:3: *.o`. */
  readonly why: string;
}

/** How much a search has shown, what it left out, and where the next page begins. */
export class Shown {
  private constructor();
  /** Lines that were shown. */
  readonly results: number;
  /** Files that they are in. */
  readonly files: number;
  /** Files that were searched. */
  readonly filesSearched: number;
  /** Lines that were passed over before the first one shown. */
  readonly offset: number;
  /** What ended the search early; `undefined` if nothing did. */
  readonly cut: "limit" | "timeout" | "cancelled" | undefined;
  /** The `offset` of the next page, if there is one and the files are sorted. */
  readonly next: number | undefined;
  /** Whether everything there is was shown. */
  readonly complete: boolean;
  /** Paths that could not be walked or read, and rule files with mistakes. */
  readonly errors: readonly SearchError[];
  /** What was left out: at most as many as the option `skipped` of the search. */
  readonly skipped: readonly Skipped[];
  /** How many more were left out. */
  readonly skippedMore: number;
}

/**
 * A search for the lines of files that match a pattern.
 *
 * The search runs in threads of its own from the start, a few thousand hits ahead of its reader. Its
 * iterators share it: each hit reaches one of them. One that is left early closes the search.
 */
export class Search implements Iterable<Hit>, AsyncIterable<Hit> {
  /** Without roots, the current directory is searched. */
  constructor(
    pattern: string | Pattern,
    roots?: Path | Iterable<Path> | null,
    options?: SearchOptions,
  );
  [Symbol.iterator](): IterableIterator<Hit>;
  [Symbol.asyncIterator](): AsyncIterableIterator<Hit>;
  /** Ends the search. The hits that were found can still be read. */
  cancel(): void;
  /** Ends the search and drops the hits that were not read; resolves once its threads have ended. */
  close(): Promise<void>;
  /** The account of the search, once it is over; `undefined` before. */
  readonly shown: Shown | undefined;
}

/** A match in bytes. */
export class Match {
  private constructor();
  /** Where the match begins: a number of bytes. */
  readonly start: number;
  /** Where it ends. */
  readonly end: number;
  /** The number of the line in which it begins, from 1. */
  readonly line: number;
  /** The match, which shares the memory of the bytes. */
  readonly bytes: Buffer;
  /** The match. Bytes that are not UTF-8 become U+FFFD. */
  readonly text: string;
  /** The groups, from the first on; `undefined` for one that took no part. */
  readonly groups: readonly (Buffer | undefined)[];
  /** The groups that have a name. */
  readonly named: Readonly<Record<string, Buffer | undefined>>;
  /** The match as text. */
  toString(): string;
}

/** A line of bytes that matches. */
export class Line {
  private constructor();
  /** The number of the line, from 1. */
  readonly number: number;
  /** Where the line begins: a number of bytes. */
  readonly start: number;
  /** Where it ends, without its terminator. */
  readonly end: number;
  /** The line without its terminator, which shares the memory of the bytes. */
  readonly bytes: Buffer;
  /** The line. Bytes that are not UTF-8 become U+FFFD. */
  readonly text: string;
  /** The matches in the line. */
  readonly matches: readonly Match[];
  /** The line as text. */
  toString(): string;
}

/** A compiled pattern, matched against bytes line by line as in a file. */
export class Pattern {
  constructor(pattern: string, options?: PatternOptions);
  /** The pattern as it was given. */
  readonly pattern: string;
  /** Whether any line matches. Empty bytes have no line. */
  isMatch(data: ArrayBufferView | ArrayBuffer): boolean;
  /** The matches, from the first to the last. Offsets are numbers of bytes. */
  findIter(data: ArrayBufferView | ArrayBuffer): IterableIterator<Match>;
  /** The lines that match, from the first to the last. Offsets are numbers of bytes. */
  lines(data: ArrayBufferView | ArrayBuffer): IterableIterator<Line>;
}

/** The rule that makes a path ignored. */
export class IgnoredBy {
  private constructor();
  /** What the rule matches, relative to the root: the path, or a directory above it. */
  readonly path: string;
  /** The file with the rule. */
  readonly source: string;
  /** The number of the rule's line, from 1. */
  readonly line: number;
  /** The rule as it is written. */
  readonly rule: string;
  /** The rule as `source:line: rule`. */
  toString(): string;
}

/**
 * The ignore rules of a tree, exactly as `git check-ignore --no-index` has them.
 *
 * With `rules: "search"`, those of a search: `.ignore` and `.rgignore` files count too.
 */
export class Ignore {
  constructor(root?: Path, options?: { rules?: "git" | "search" });
  /** Whether a rule ignores `path`, relative to the root, or a directory above it. */
  isIgnored(path: Path): boolean;
  /** The rule that ignores `path`; `undefined` if none does. */
  why(path: Path): IgnoredBy | undefined;
  /** The paths that no rule ignores, in their order. */
  filter<P extends Path>(paths: Iterable<P>): P[];
}

/** A file or directory. */
export class Entry {
  private constructor();
  /** The path, below the root as the root was given. */
  readonly path: string;
  /** The path, also where it is not UTF-8. */
  readonly pathBytes: Buffer;
  /** What it is. */
  readonly kind: "file" | "directory" | "symlink" | "other";
  /** How far it is below its root; a root has depth 0. */
  readonly depth: number;
  /** The path. */
  toString(): string;
}

/** The entries of a walk. Its iterators share it: each entry reaches one of them. */
export class Walk implements Iterable<Entry>, AsyncIterable<Entry> {
  private constructor();
  [Symbol.iterator](): IterableIterator<Entry>;
  [Symbol.asyncIterator](): AsyncIterableIterator<Entry>;
  /** Ends the walk; resolves once its threads have ended. */
  close(): Promise<void>;
  /** Paths below the roots that could not be walked, and rule files with mistakes. */
  readonly errors: readonly SearchError[];
}

/** The files below `roots`, or below the current directory, that git does not ignore. */
export function walk(roots?: Path | Iterable<Path> | null, options?: WalkOptions): Walk;
