/**
 * AppCompanion: the editor around the terminal, for one app: connects where the settings say so, tells the user of a
 * loss, applies the editor's trust in the folder, and carries out `/ide`.
 */

import { basename, dirname, join } from 'node:path';
import { saveSetting } from '@castor/core/program';
import type { IdeState, WorkspaceAgent } from '@castor/core';
import { Companion } from '../../ide/companion.ts';
import { identifyEditor } from '../../ide/editor-identity.ts';
import { installCompanion } from '../../ide/install-companion.ts';
import { sanitizeLine } from '../../sanitize.ts';
import { tellOfDirectories } from '../../slash/directory.ts';
import { STATUS_MARKS } from '../../status-marks.ts';
import { prepareStart } from '../../start/start.ts';
import type { App, CompanionPort } from './app.ts';
import { applySettings } from './apply-settings.ts';
import { reopenSession } from './session-change.ts';

export class AppCompanion implements CompanionPort {
  readonly companion: Companion;
  private readonly app: App;
  private wasConnected = false;
  /** The editor's last word on trust that was applied. */
  private trust: boolean | undefined;

  constructor(app: App) {
    this.app = app;
    const { cwd, environment, version } = app.options;
    const editorName = identifyEditor(environment)?.name ?? 'IDE';
    this.companion = new Companion({ cwd, environment, version, editorName, onChange: () => this.onChange() });
    app.onClose.push(() => this.close());
  }

  /** The other folders of the editor's window become part of the workspace of an agent. */
  addFolders(agent: WorkspaceAgent | undefined): void {
    const added = (agent ? this.companion.folders : []).flatMap((folder) => {
      try {
        return [agent!.workspace.addDirectory(folder)];
      } catch {
        // It is part of the workspace already, or was removed.
        return [];
      }
    });
    if (agent && added.length > 0 && agent.chat.getHistory().length > 0) tellOfDirectories(added, agent);
  }

  async connect(): Promise<void> {
    await this.companion.connect();
    const { state } = this.companion;
    if (state.kind === 'disconnected') this.app.warn(`${state.details} /ide status says where Castor looked.`);
  }

  async status(): Promise<string> {
    const { state, looked, editorState } = this.companion;
    switch (state.kind) {
      case 'connected':
        return [`${STATUS_MARKS.works} Connected to ${sanitizeLine(state.name)}`, ...describeFiles(editorState)].join(
          '\n',
        );
      case 'connecting':
        return `${STATUS_MARKS.underWay} Connecting...`;
      case 'disconnected':
        return [
          `${STATUS_MARKS.failed} Disconnected: ${sanitizeLine(state.details)}`,
          ...looked.map((line) => `  looked at ${sanitizeLine(line)}`),
        ].join('\n');
    }
  }

  async enable(): Promise<string> {
    this.save(true);
    await this.companion.connect();
    return this.status();
  }

  async disable(): Promise<string> {
    this.save(false);
    await this.close();
    return 'IDE mode is off, in later sessions too.';
  }

  async install(signal: AbortSignal): Promise<string> {
    const { environment } = this.app.options;
    const said = await installCompanion(identifyEditor(environment), environment, signal);
    this.save(true);
    void this.companion.connect();
    return said;
  }

  /** Not a loss. */
  private async close(): Promise<void> {
    this.wasConnected = false;
    await this.companion.close();
  }

  private save(isEnabled: boolean): void {
    saveSetting(join(this.app.options.home, '.gemini', 'settings.json'), 'ide.enabled', isEnabled);
  }

  private onChange(): void {
    const isConnected = this.companion.state.kind === 'connected';
    if (this.wasConnected && this.companion.state.kind === 'disconnected')
      this.app.info('The connection to the editor was lost; Castor tries to connect again.');
    if (isConnected && !this.wasConnected) this.addFolders(this.app.state.agent);
    if (isConnected || this.companion.state.kind === 'disconnected') this.wasConnected = isConnected;
    this.app.screen.refresh();
    const { isTrusted } = this.companion;
    if (isTrusted !== undefined && isTrusted !== this.trust) {
      this.trust = isTrusted;
      void this.applyTrust(isTrusted);
    }
  }

  /** The editor's decision precedes the user's file; a flag or a variable precedes both. */
  private async applyTrust(editorTrust: boolean): Promise<void> {
    const { app } = this;
    await app.conversation.settled().catch(() => undefined);
    const { start } = app.state;
    if (!start) return;
    const again = prepareStart({ ...start, editorTrust, isAttended: true });
    if (again.trustedFolder === start.trustedFolder) return;
    applySettings(app, again);
    app.info(`Your editor ${editorTrust ? 'trusts' : 'does not trust'} this folder. The session goes on with that.`);
    await reopenSession(app);
  }
}

/** Files with the same name are told apart by their folder. */
function describeFiles(state: IdeState | undefined): string[] {
  const paths = [...(state?.activeFile ? [state.activeFile.path] : []), ...(state?.otherOpenFiles ?? [])];
  if (paths.length === 0) return ['No open files.'];
  const names = paths.map((path) => basename(path));
  const shown = paths.map((path, index) => {
    const isTwice = names.filter((name) => name === names[index]).length > 1;
    const name = isTwice ? join(basename(dirname(path)), names[index]!) : names[index]!;
    return `  - ${sanitizeLine(name)}${path === state?.activeFile?.path ? ' (active)' : ''}`;
  });
  return ['Open files:', ...shown];
}
