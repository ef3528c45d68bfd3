import type { Settings } from '@castor/core/program';
import { describe, expect, it } from 'vitest';
import { editorCommand } from './editor-command.ts';

function command(general: Partial<Settings['general']>, environment: Record<string, string> = {}): string {
  // Only the two keys are read.
  return editorCommand({ openEditorInNewWindow: false, ...general } as Settings['general'], environment);
}

describe('the editor', () => {
  it.each<[string, Partial<Settings['general']>, Record<string, string>]>([
    ['code --wait', { preferredEditor: 'vscode' }, { EDITOR: 'nano' }],
    ['code --wait --new-window', { preferredEditor: 'vscode', openEditorInNewWindow: true }, {}],
    ['nvim', { preferredEditor: 'Neovim', openEditorInNewWindow: true }, {}],
    ['nano', {}, { EDITOR: 'nano' }],
    ['code -w', { openEditorInNewWindow: true }, { VISUAL: 'code -w', EDITOR: 'nano' }],
    ['nano', { preferredEditor: 'unheard-of' }, { EDITOR: 'nano' }],
    ['vi', {}, {}],
  ])('is %s for %j in %j', (expected, general, environment) => {
    expect(command(general, environment)).toBe(expected);
  });
});
