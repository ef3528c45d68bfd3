/** What the printer of a transcript asks of its owner, at each use: looks and settings change while it prints. */

import type { TranscriptItem } from '@castor/core';
import type { Grammars } from '../render/highlight.ts';
import type { LineHighlighter } from '../render/markdown-stream.ts';
import type { Styles } from '../theme/styles.ts';
import type { ShownKinds } from './transcript-item.ts';

export interface PrinterOptions {
  readonly styles: () => Styles;
  readonly width: () => number;
  readonly show: () => ShownKinds;
  /** The key that shows long results in full. */
  readonly moreKey?: () => string | undefined;
  readonly createHighlighter: (styles: Styles) => LineHighlighter;
  /** Whether a screen reader reads it. */
  readonly isSpoken?: () => boolean;
  /** Whether answers are shown as Markdown source. */
  readonly isRaw?: () => boolean;
  readonly grammars?: () => Grammars | undefined;
  /** How long a call took, in words. */
  readonly tookOf?: (callId: string) => string | undefined;
  /** The home folder: notes name its files with a tilde. */
  readonly home?: string | undefined;
  /** Gets the files that prompts change. */
  readonly changedFiles?: Set<string>;
  /** Called with every final item. */
  readonly onItem?: (item: TranscriptItem) => void;
}
