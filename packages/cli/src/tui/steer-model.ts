/** Words for the request under way: the model reads them with its next request, before it would have ended. */

import type { App } from './app.ts';
import { renderUser } from './render/transcript-item.ts';

/** Commands, and words that name files, wait their turn: they have to be prepared. */
const NEEDS_PREPARING = /^\s*[/!]|@/;

/** Whether the words are on their way. */
export function steerModel(app: App, text: string): boolean {
  const { agent } = app.state;
  if (!agent?.session.isBusy || NEEDS_PREPARING.test(text)) return false;
  agent.session.steer([{ text }]);
  app.print(['', ...renderUser(text, { styles: app.appearance.styles, width: app.width })]);
  return true;
}
