/** Theme: colours by meaning. The shape is that of `ui.customThemes`; an empty colour is the terminal's own. */

export interface Theme {
  readonly name: string;
  readonly type: 'dark' | 'light' | 'ansi' | 'custom';
  readonly text: { primary: string; secondary: string; link: string; accent: string; response: string };
  readonly background: {
    primary: string;
    /** Under the user's messages, and under code; mixed from the background where a theme has none. */
    message?: string | undefined;
    code?: string | undefined;
    /** The words are those that differ in a changed line. */
    diff: { added: string; removed: string; addedWord?: string | undefined; removedWord?: string | undefined };
  };
  readonly border: { default: string; focused: string };
  readonly status: { success: string; warning: string; error: string };
  readonly ui: { comment: string; symbol: string; gradient: readonly string[] };
}
