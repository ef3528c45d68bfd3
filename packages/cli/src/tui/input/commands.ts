/**
 * The named commands of the terminal and the keys they have by default, as one
 * table. Names are those of Gemini CLI, so that a person's file keeps working. The
 * same key may stand for several commands; who is asked first decides.
 */

interface CommandRow {
  readonly description: string;
  readonly keys: readonly string[];
}

export const COMMANDS = {
  'basic.confirm': row('Confirm the selection.', 'enter'),
  'basic.cancel': row('Close what is open, or cancel the request.', 'escape', 'ctrl+['),
  'basic.quit': row('Cancel the request, clear the input, or leave.', 'ctrl+c'),
  'basic.exit': row('Leave when the input is empty.', 'ctrl+d'),

  'cursor.home': row('To the start of the line.', 'ctrl+a', 'home'),
  'cursor.end': row('To the end of the line.', 'ctrl+e', 'end'),
  'cursor.up': row('One row up.', 'up'),
  'cursor.down': row('One row down.', 'down'),
  'cursor.left': row('One character to the left.', 'left'),
  'cursor.right': row('One character to the right.', 'right', 'ctrl+f'),
  'cursor.wordLeft': row('One word to the left.', 'ctrl+left', 'alt+left', 'alt+b'),
  'cursor.wordRight': row('One word to the right.', 'ctrl+right', 'alt+right', 'alt+f'),
  'cursor.start': row('To the start of the input.', 'alt+<', 'alt+shift+<'),
  'cursor.finish': row('To the end of the input.', 'alt+>', 'alt+shift+>'),

  'edit.deleteRightAll': row('Delete to the end of the line.', 'ctrl+k'),
  'edit.deleteLeftAll': row('Delete to the start of the line.', 'ctrl+u', 'cmd+backspace'),
  'edit.clear': row('Clear the input.', 'ctrl+c'),
  'edit.deleteWordLeft': row('Delete the word before the cursor.', 'ctrl+w', 'alt+backspace', 'ctrl+backspace'),
  'edit.deleteWordRight': row('Delete the word after the cursor.', 'ctrl+delete', 'alt+delete', 'alt+d'),
  'edit.deleteLeft': row('Delete the character before the cursor.', 'backspace', 'shift+backspace', 'ctrl+h'),
  'edit.deleteRight': row('Delete the character after the cursor.', 'delete', 'ctrl+d'),
  'edit.undo': row('Undo the last edit.', 'ctrl+z', 'cmd+z', 'alt+z', 'ctrl+/'),
  'edit.redo': row('Redo what was undone.', 'ctrl+shift+z', 'shift+cmd+z', 'alt+shift+z'),
  'edit.yank': row('Insert what was deleted last.', 'alt+y'),
  'edit.yankPop': row('Insert an older deletion instead.', 'alt+shift+y'),

  'scroll.up': row('Scroll up.', 'shift+up'),
  'scroll.down': row('Scroll down.', 'shift+down'),
  'scroll.home': row('Scroll to the top.', 'ctrl+home', 'shift+home'),
  'scroll.end': row('Scroll to the bottom.', 'ctrl+end', 'shift+end'),
  'scroll.pageUp': row('Scroll up by a page.', 'pageup'),
  'scroll.pageDown': row('Scroll down by a page.', 'pagedown'),

  'history.previous': row('The prompt before.', 'ctrl+p'),
  'history.next': row('The prompt after.', 'ctrl+n'),
  'history.search.start': row('Search the prompts of earlier.', 'ctrl+r'),
  'history.search.submit': row('Submit the prompt found.', 'enter'),
  'history.search.accept': row('Take the prompt found into the input.', 'tab', 'right'),

  'nav.up': row('One entry up.', 'up'),
  'nav.down': row('One entry down.', 'down'),
  'nav.dialog.up': row('One choice up.', 'up', 'k'),
  'nav.dialog.down': row('One choice down.', 'down', 'j'),
  'nav.dialog.next': row('The next part of the dialog.', 'tab'),
  'nav.dialog.previous': row('The part of the dialog before.', 'shift+tab'),

  'suggest.accept': row('Take the suggestion.', 'tab', 'enter'),
  'suggest.focusPrevious': row('The suggestion before.', 'up', 'ctrl+p'),
  'suggest.focusNext': row('The next suggestion.', 'down', 'ctrl+n'),
  'suggest.expand': row('Show a long suggestion whole.', 'right'),
  'suggest.collapse': row('Show a long suggestion short.', 'left'),

  'input.submit': row('Send the prompt.', 'enter'),
  'input.queueMessage': row('Queue the prompt behind the running one.', 'tab'),
  'input.newline': row('A new line.', 'ctrl+j', 'shift+enter', 'alt+enter', 'ctrl+enter', 'cmd+enter'),
  'input.openExternalEditor': row('Edit the prompt in your editor.', 'ctrl+g', 'ctrl+x', 'ctrl+shift+g'),
  'input.paste': row('Paste from the clipboard, images too.', 'ctrl+v', 'cmd+v', 'alt+v'),

  'app.showErrorDetails': row('Show the debug console.', 'f12'),
  'app.showFullTodos': row('Show the whole todo list.', 'ctrl+t'),
  'app.showIdeContextDetail': row('Show what the editor shares.', 'f4'),
  'app.toggleMarkdown': row('Show answers as rendered or raw markdown.', 'alt+m'),
  'app.toggleCopyMode': row('Hold the screen still, to select text in it.', 'f9'),
  'app.toggleMouseMode': row('Give the mouse to the terminal or take it.', 'ctrl+s'),
  'app.toggleYolo': row('Approve every call, or ask again.', 'ctrl+y'),
  'app.cycleApprovalMode': row('The next approval mode.', 'shift+tab'),
  'app.showMoreLines': row('Show long outputs whole, or short again.', 'ctrl+o'),
  'app.expandPaste': row('Write a pasted block out, or fold it.', 'ctrl+o'),
  'app.focusShellInput': row('Type into the running shell command.', 'tab'),
  'app.unfocusShellInput': row('Type into the prompt again.', 'shift+tab'),
  'app.clearScreen': row('Clear the screen.', 'ctrl+l'),
  'app.restart': row('Start again.', 'r', 'R'),
  'app.suspend': row('Put Castor into the background.'),
  'app.showShellUnfocusWarning': row('Say how to leave the shell command.', 'tab'),
  'app.showShortcuts': row('Show the keys; on empty input.', '?'),

  'background.escape': row('Close the list of background commands.', 'escape'),
  'background.select': row('Choose in the list of background commands.', 'enter'),
  'background.toggle': row('Send the running command to the background; else show those there.', 'ctrl+b'),
  'background.toggleList': row('List the background commands.', 'ctrl+l'),
  'background.kill': row('End the background command.', 'ctrl+k'),
  'background.unfocus': row('From the background command to the prompt.', 'shift+tab'),
  'background.unfocusList': row('From the list to the prompt.', 'tab'),
  'background.unfocusWarning': row('Say how to leave the background command.', 'tab'),

  'extension.update': row('Update the extension.', 'i'),
  'extension.link': row('Link the extension.', 'l'),
} satisfies Record<string, CommandRow>;

export type CommandName = keyof typeof COMMANDS;

export const COMMAND_NAMES = Object.keys(COMMANDS) as CommandName[];

export function isCommandName(name: string): name is CommandName {
  return Object.hasOwn(COMMANDS, name);
}

function row(description: string, ...keys: string[]): CommandRow {
  return { description, keys };
}
