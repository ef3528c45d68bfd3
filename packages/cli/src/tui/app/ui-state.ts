/**
 * The small state of the UI that keys change, as a reducer: what is shown for a moment, which second press is awaited,
 * what the user has hidden. Pure.
 */

/** The key whose second press acts. */
export type Armed = 'exit' | 'clear' | 'rewind' | 'minimal';

export interface UiState {
  /** Shown on the rule for a moment. */
  readonly toast: string | undefined;
  readonly armed: Armed | undefined;
  /** Only the bare rule around the prompt. */
  readonly isMinimal: boolean;
  readonly showsTodos: boolean;
  /** Shows answers as Markdown source. */
  readonly showsRawMarkdown: boolean;
}

export type UiAction =
  | { readonly type: 'toast'; readonly text: string; readonly arms?: Armed | undefined }
  /** The toast has expired, and the pending second press with it. */
  | { readonly type: 'calm' }
  | { readonly type: 'toggle'; readonly what: 'isMinimal' | 'showsTodos' | 'showsRawMarkdown' };

export const INITIAL_UI: UiState = {
  toast: undefined,
  armed: undefined,
  isMinimal: false,
  showsTodos: false,
  showsRawMarkdown: false,
};

export function reduceUi(state: UiState, action: UiAction): UiState {
  switch (action.type) {
    case 'toast':
      return { ...state, toast: action.text, armed: action.arms };
    case 'calm':
      return { ...state, toast: undefined, armed: undefined };
    case 'toggle':
      return { ...state, [action.what]: !state[action.what] };
  }
}
