/** The path of the program hs. */
export const hsPath: string;
/** The same, under the name that `@vscode/ripgrep` gives it. */
export const rgPath: string;
