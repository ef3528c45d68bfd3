/**
 * The named commands of the terminal and their default keys, as one table. Names are those of Gemini CLI, so that a
 * user's file keeps working. Several commands may share a key; the handler asked first decides.
 */

interface CommandRow {
  readonly description: string;
  readonly keys: readonly string[];
}

export const COMMANDS = {
  'basic.confirm': row('Confirm the selection.', 'enter'),
  'basic.cancel': row('Close what is open, or cancel the request.', 'escape', 'ctrl+['),
  'basic.quit': row('Cancel the request, clear the input, or exit.', 'ctrl+c'),
  'basic.exit': row('Exit when the input is empty.', 'ctrl+d'),

  'cursor.home': row('Move to the start of the line.', 'ctrl+a', 'home'),
  'cursor.end': row('Move to the end of the line.', 'ctrl+e', 'end'),
  'cursor.up': row('Move up one row.', 'up'),
  'cursor.down': row('Move down one row.', 'down'),
  'cursor.left': row('Move left one character.', 'left'),
  'cursor.right': row('Move right one character.', 'right', 'ctrl+f'),
  'cursor.wordLeft': row('Move left one word.', 'ctrl+left', 'alt+left', 'alt+b'),
  'cursor.wordRight': row('Move right one word.', 'ctrl+right', 'alt+right', 'alt+f'),
  'cursor.start': row('Move to the start of the input.', 'alt+<', 'alt+shift+<'),
  'cursor.finish': row('Move to the end of the input.', 'alt+>', 'alt+shift+>'),

  'edit.deleteRightAll': row('Delete to the end of the line.', 'ctrl+k'),
  'edit.deleteLeftAll': row('Delete to the start of the line.', 'ctrl+u', 'cmd+backspace'),
  'edit.clear': row('Clear the input.', 'ctrl+c'),
  'edit.deleteWordLeft': row('Delete the word before the cursor.', 'ctrl+w', 'alt+backspace', 'ctrl+backspace'),
  'edit.deleteWordRight': row('Delete the word after the cursor.', 'ctrl+delete', 'alt+delete', 'alt+d'),
  'edit.deleteLeft': row('Delete the character before the cursor.', 'backspace', 'shift+backspace', 'ctrl+h'),
  'edit.deleteRight': row('Delete the character after the cursor.', 'delete', 'ctrl+d'),
  'edit.undo': row('Undo the last edit.', 'cmd+z', 'alt+z', 'ctrl+/'),
  'edit.redo': row('Redo the last undone edit.', 'ctrl+shift+z', 'shift+cmd+z', 'alt+shift+z'),
  'edit.yank': row('Insert the last deletion.', 'alt+y'),
  'edit.yankPop': row('Insert an older deletion instead.', 'alt+shift+y'),

  'scroll.up': row('Scroll up.', 'shift+up'),
  'scroll.down': row('Scroll down.', 'shift+down'),
  'scroll.home': row('Scroll to the top.', 'ctrl+home', 'shift+home'),
  'scroll.end': row('Scroll to the bottom.', 'ctrl+end', 'shift+end'),
  'scroll.pageUp': row('Scroll up by a page.', 'pageup'),
  'scroll.pageDown': row('Scroll down by a page.', 'pagedown'),

  'history.previous': row('Recall the previous prompt.', 'ctrl+p'),
  'history.next': row('Recall the next prompt.', 'ctrl+n'),
  'history.search.start': row('Search earlier prompts.', 'ctrl+r'),
  'history.search.submit': row('Send the found prompt.', 'enter'),
  'history.search.accept': row('Insert the found prompt.', 'tab', 'right'),

  'nav.up': row('Move up one entry.', 'up'),
  'nav.down': row('Move down one entry.', 'down'),
  'nav.dialog.up': row('Move up one choice.', 'up', 'k'),
  'nav.dialog.down': row('Move down one choice.', 'down', 'j'),
  'nav.dialog.next': row('Go to the next part of the dialog.', 'tab'),
  'nav.dialog.previous': row('Go to the previous part of the dialog.', 'shift+tab'),

  'suggest.accept': row('Accept the suggestion.', 'tab', 'enter'),
  'suggest.focusPrevious': row('Go to the previous suggestion.', 'up', 'ctrl+p'),
  'suggest.focusNext': row('Go to the next suggestion.', 'down', 'ctrl+n'),
  'suggest.expand': row('Expand a long suggestion.', 'right'),
  'suggest.collapse': row('Collapse a long suggestion.', 'left'),

  'input.submit': row('Send the prompt.', 'enter'),
  'input.queueMessage': row('Queue the prompt behind the running one.', 'tab'),
  'input.newline': row('Insert a new line.', 'ctrl+j', 'shift+enter', 'alt+enter', 'ctrl+enter', 'cmd+enter'),
  'input.openExternalEditor': row('Edit the prompt in your editor.', 'ctrl+g', 'ctrl+x', 'ctrl+shift+g'),
  'input.paste': row('Paste from the clipboard, images too.', 'ctrl+v', 'cmd+v', 'alt+v'),

  'app.showErrorDetails': row('Show the debug console.', 'f12'),
  'app.showFullTodos': row('Show the whole todo list.', 'ctrl+t'),
  'app.showIdeContextDetail': row('Show the context of a connected editor.', 'f4'),
  'app.toggleMarkdown': row('Show answers as rendered or raw markdown.', 'alt+m'),
  'app.toggleCopyMode': row('Freeze the screen to select text.', 'f9'),
  'app.toggleMouseMode': row('Release the mouse to the terminal, or capture it.', 'ctrl+s'),
  'app.toggleYolo': row('Toggle YOLO mode.', 'ctrl+y'),
  'app.cycleApprovalMode': row('Select the next approval mode.', 'shift+tab'),
  'app.showMoreLines': row('Expand or collapse long outputs.', 'ctrl+o'),
  'app.expandPaste': row('Expand or collapse a pasted block.', 'ctrl+o'),
  'app.focusShellInput': row('Type into the running shell command.', 'tab'),
  'app.unfocusShellInput': row('Return to the prompt.', 'shift+tab'),
  'app.clearScreen': row('Clear the screen.', 'ctrl+l'),
  'app.restart': row('Restart Castor.', 'r', 'R'),
  'app.suspend': row('Suspend Castor; fg in the shell resumes it.', 'ctrl+z'),
  'app.showShellUnfocusWarning': row('Explain how to leave the shell command.', 'tab'),
  'app.showShortcuts': row('Show the keys (on empty input).', '?'),

  'background.escape': row('Close the list of background commands.', 'escape'),
  'background.select': row('Select a background command.', 'enter'),
  'background.toggle': row('Move the running command to the background, or show the background commands.', 'ctrl+b'),
  'background.toggleList': row('List the background commands.', 'ctrl+l'),
  'background.kill': row('End the background command.', 'ctrl+k'),
  'background.unfocus': row('Return from the background command to the prompt.', 'shift+tab'),
  'background.unfocusList': row('Return from the list to the prompt.', 'tab'),
  'background.unfocusWarning': row('Explain how to leave the background command.', 'tab'),

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
