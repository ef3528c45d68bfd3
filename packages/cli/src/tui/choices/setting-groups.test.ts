import { listSettings } from '@castor/core/program';
import { describe, expect, it } from 'vitest';
import { groupOfSetting, groupSettings, titleOfSetting } from './setting-groups.ts';

const named = (key: string) => ({ path: key.split('.') });

describe('settings for users', () => {
  it.each([
    ['ui.showLineNumbers', 'Show line numbers', 'Look'],
    ['ui.footer.hideCWD', 'Footer: hide CWD', 'Look'],
    ['general.checkpointing.enabled', 'Checkpointing', 'General'],
    ['security.folderTrust.enabled', 'Folder trust', 'Safety'],
    ['useWriteTodos', 'Use write todos', 'Tools'],
  ])('%s is "%s" under %s', (key, title, group) => {
    expect([titleOfSetting(named(key)), groupOfSetting(named(key))]).toEqual([title, group]);
  });

  it('stand together by group', () => {
    const groups = groupSettings(listSettings()).map(groupOfSetting);
    const changes = groups.filter((group, index) => group !== groups[index - 1]);
    expect(changes).toEqual(['General', 'Look', 'Model', 'Tools', 'Safety', 'Context', 'Privacy']);
  });
});
