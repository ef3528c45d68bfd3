import { info } from './command.ts';
import type { SlashCommand } from './command.ts';

export const terminalSetup: SlashCommand = {
  name: 'terminal-setup',
  description: 'Explains how to insert a new line with Shift+Enter.',
  source: 'builtin',
  runsWhileBusy: true,
  runsHeadless: true,
  run: () =>
    info(
      [
        'Ctrl+J, Alt+Enter and a backslash before Enter insert a new line in every terminal.',
        'Shift+Enter does so in terminals with the kitty keyboard protocol: kitty, Ghostty, foot, iTerm2, Alacritty, WezTerm (enable_kitty_keyboard).',
        'In VS Code and its forks, add this to keybindings.json:',
        String.raw`  { "key": "shift+enter", "command": "workbench.action.terminal.sendSequence", "args": { "text": "\u001b\r" }, "when": "terminalFocus" }`,
      ].join('\n'),
    ),
};
