/**
 * Tracks the running command that the user may type into or send to the background. It finds it among the calls, opens
 * the view that takes the keys, and closes it when the command ends. It runs nothing itself.
 */

import type { PendingCall, WorkspaceAgent } from '@castor/core';
import type { CommandScreens } from './command-screens.ts';
import type { DialogHost } from '../dialogs/dialog-host.ts';
import { ShellView } from './shell-view.ts';
import type { Keymap } from '../input/keymap.ts';
import type { ScreenLook } from './screen-rows.ts';

type Shell = Pick<WorkspaceAgent['shell'], 'isRunning' | 'canType' | 'write' | 'moveToBackground'>;

export interface ShellFocusOptions {
  /** The running calls. */
  readonly calls: () => readonly PendingCall[];
  readonly shell: () => Shell | undefined;
  readonly screens: () => Pick<CommandScreens, 'get'>;
  readonly look: () => Omit<ScreenLook, 'hasCursor'>;
  readonly host: Pick<DialogHost, 'show'>;
  readonly keymap: () => Keymap;
  readonly toast: (text: string) => void;
}

interface RunningCommand {
  readonly call: PendingCall;
  readonly pid: number;
  readonly shell: Shell;
}

export class ShellFocus {
  private readonly options: ShellFocusOptions;
  private open: { callId: string; close: () => void } | undefined;

  constructor(options: ShellFocusOptions) {
    this.options = options;
  }

  /** The call whose command has the focus. */
  get callId(): string | undefined {
    return this.open?.callId;
  }

  /** The focused command, else the one started last. */
  get running(): RunningCommand | undefined {
    const shell = this.options.shell();
    if (!shell) return undefined;
    const { callId } = this;
    for (const call of this.options.calls().toReversed()) {
      const { pid, status } = call;
      if (callId !== undefined && call.callId !== callId) continue;
      if (status === 'executing' && pid !== undefined && shell.isRunning(pid)) return { call, pid, shell };
    }
    return undefined;
  }

  /** False when nothing runs. */
  focus(): boolean {
    const { running } = this;
    if (!running || this.open) return running !== undefined;
    const { call, pid, shell } = running;
    if (!shell.canType(pid)) {
      this.options.toast('This command has no terminal to type into.');
      return true;
    }
    const { callId } = call;
    const screen = this.options.screens().get(pid);
    const view = new ShellView({
      title: call.display.description || call.display.name,
      output: () => this.options.calls().find((each) => each.callId === callId)?.output ?? '',
      screen: () => screen?.picture(this.options.look()),
      keyModes: () => screen?.keyModes,
      type: (text) => shell.write(pid, text),
      moveToBackground: () => this.moveToBackground(),
      leave: () => this.leave(),
      keymap: this.options.keymap,
    });
    const open = { callId, close: () => {} };
    // First, because `show` draws, and the call is then shown there only.
    this.open = open;
    screen?.attend(true);
    const hide = this.options.host.show(view);
    open.close = () => {
      screen?.attend(false);
      hide();
    };
    return true;
  }

  /** False when nothing runs. */
  moveToBackground(): boolean {
    const { running } = this;
    if (!running?.shell.moveToBackground(running.pid)) return false;
    this.leave();
    this.options.toast('The command continues in the background; the same key shows it.');
    return true;
  }

  /** The calls have changed. */
  look(): void {
    const callId = this.open?.callId;
    if (callId === undefined) return;
    const call = this.options.calls().find((each) => each.callId === callId);
    if (call?.status !== 'executing') this.leave();
  }

  private leave(): void {
    const { open } = this;
    this.open = undefined;
    open?.close();
  }
}
