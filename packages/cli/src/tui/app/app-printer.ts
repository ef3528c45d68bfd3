/** The printer of the app's transcript: its looks and settings, read at each use. */

import { TranscriptPrinter } from '../conversation/transcript-printer.ts';
import { keyOf } from '../dialogs/key-hint.ts';
import { createHighlighter } from '../render/highlight.ts';
import type { App } from './app.ts';

export function createAppPrinter(app: App): TranscriptPrinter {
  return new TranscriptPrinter({
    styles: () => app.appearance.styles,
    width: () => app.width,
    show: () => app.state.show,
    moreKey: () => keyOf(app.composer.getKeymap(), 'app.showMoreLines'),
    createHighlighter: (styles) => createHighlighter(styles, () => app.grammars),
    isSpoken: () => app.isSpoken,
    isRaw: () => app.state.ui.showsRawMarkdown,
    changedFiles: app.state.changedFiles,
    onItem: (item) => app.onItem(item),
    grammars: () => app.grammars,
    home: app.options.home,
    tookOf: (callId) => app.callTimes.take(callId),
  });
}
