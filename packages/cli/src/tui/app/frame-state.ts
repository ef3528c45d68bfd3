/** Collects from the app what the rule and the composer show: all there is in the first frame. */

import { hostname } from 'node:os';
import type { FooterItem } from '../../footer-item-names.ts';
import { shortCount } from '../../short-numbers.ts';
import { footerItems } from '../components/footer-items.ts';
import type { FrameData } from '../components/frame-data.ts';
import type { FooterState } from '../components/status-rule.ts';
import { geminiStreamOf } from '../conversation/gemini-stream.ts';
import { keyOf } from '../dialogs/key-hint.ts';
import type { AppState } from './app-state.ts';
import type { App } from './app.ts';

export type PlainData = Pick<FrameData, 'size' | 'styles' | 'rule' | 'dialog' | 'composer'>;

export function plainDataOf(app: App, size: FrameData['size']): PlainData {
  const { initError } = geminiStreamOf(app.streamPort);
  const { state } = app;
  const footer = hasFooter(state) ? footerOf(app) : undefined;
  return {
    size,
    styles: app.appearance.styles,
    rule: { toast: state.ui.toast, initError, mode: app.mode, footer },
    dialog: app.dialogs.top,
    composer: app.composer.getSnapshot(),
  };
}

function hasFooter({ start, ui }: AppState): boolean {
  return !ui.isMinimal && !start?.settings.ui.hideFooter;
}

/** The keys available for the running command. */
export function keyHintsOf({ shellFocus, composer }: App): readonly string[] {
  const { running } = shellFocus;
  if (!running) return [];
  const keymap = composer.getKeymap();
  const tab = running.shell.canType(running.pid) ? keyOf(keymap, 'app.focusShellInput') : undefined;
  const background = keyOf(keymap, 'background.toggle');
  return [tab && `${tab} types into it`, background && `${background} to the background`].filter(
    (hint) => typeof hint === 'string',
  );
}

const BEFORE_SETTINGS: readonly FooterItem[] = ['workspace', 'git-branch', 'model-name'];

export function modelOf({ state, store }: App): string {
  if (state.start?.choice.access.kind === 'offline') return 'offline';
  const requested = state.agent?.requestedModel() ?? state.model;
  // A model chosen since the last prompt has not answered yet.
  const answering = requested === state.model ? store.getSnapshot().model : undefined;
  return answering ?? requested;
}

function footerOf(app: App): FooterState {
  const { state } = app;
  const model = modelOf(app);
  const used = state.agent ? state.agent.chat.getLastPromptTokenCount() / state.agent.tokenLimit(model) : 0;
  // Before the settings are read.
  const items = state.start ? footerItems(state.start.settings.ui, used) : BEFORE_SETTINGS;
  return {
    folder: app.folder,
    branch: state.branch,
    model,
    // Less than a hundredth is negligible.
    contextUsed: used >= 0.01 ? used : undefined,
    isTrusted: state.start?.trustedFolder !== false,
    inBackground: countRunning(state),
    items,
    more: moreOf(items, state),
    own: state.statusLine,
  };
}

function countRunning({ agent }: AppState): number {
  return agent?.background.list().filter(({ status }) => status === 'running').length ?? 0;
}

/** Looks up only what is shown: this runs for every frame. */
function moreOf(items: readonly FooterItem[], { agent, start }: AppState): Partial<Record<FooterItem, string>> {
  const more: Partial<Record<FooterItem, string>> = {};
  if (items.includes('memory-usage')) more['memory-usage'] = `${Math.round(process.memoryUsage.rss() / 2 ** 20)} MB`;
  if (items.includes('session-id')) more['session-id'] = agent?.session.sessionId ?? '';
  if (items.includes('hostname')) more.hostname = hostname();
  if (items.includes('auth')) more.auth = authOf(start);
  if (items.includes('token-count') && agent) {
    const models = Object.values(agent.ledger.metrics().models);
    more['token-count'] = `${shortCount(models.reduce((sum, { tokens }) => sum + tokens.total, 0))} tokens`;
  }
  if (items.includes('code-changes') && agent) {
    const { totalLinesAdded, totalLinesRemoved } = agent.ledger.metrics().files;
    more['code-changes'] = `+${totalLinesAdded} −${totalLinesRemoved}`;
  }
  return more;
}

function authOf(start: AppState['start']): string {
  if (start?.choice.access.kind === 'provider') return start.choice.access.named.split('/', 1)[0] ?? '';
  if (!start || start.choice.access.kind !== 'gemini') return start?.choice.access.kind ?? '';
  return start.choice.authType ?? '';
}
