/** `/footer`: chooses the parts of the footer; each choice is shown at once and saved. */

import { getErrorMessage } from '@castor/core';
import { saveSetting } from '@castor/core/program';
import type { App } from '../app/app.ts';
import { reloadSettings } from '../app/apply-settings.ts';
import { userSettingsFile } from '../app/command-services.ts';
import { FOOTER_ITEMS } from '../../footer-item-names.ts';
import type { FooterItem } from '../../footer-item-names.ts';
import { footerItems } from '../components/footer-items.ts';

const SENTENCES: Readonly<Record<FooterItem, string>> = {
  workspace: 'the folder',
  'git-branch': 'its branch',
  'model-name': 'the model',
  'context-used': 'context usage',
  'memory-usage': 'memory usage',
  'session-id': 'the session',
  hostname: 'this machine',
  auth: 'how requests are authorised',
  'token-count': 'the tokens of this session',
  'code-changes': 'the lines added and removed',
};

type Choice = FooterItem | 'usual' | 'done';

export async function chooseFooter(app: App, signal: AbortSignal): Promise<void> {
  for (let initial = 0; ;) {
    const { start } = app.state;
    if (!start) return;
    const shown = footerItems(start.settings.ui);
    const choice = await app.dialogs.choose<Choice>(
      {
        title: 'What the rule shows',
        initial,
        options: [
          ...FOOTER_ITEMS.map((item) => ({
            label: `${shown.includes(item) ? '✓' : '☐'} ${item}`,
            value: item,
            hint: SENTENCES[item],
          })),
          { label: 'As usual', value: 'usual' },
          { label: 'Done', value: 'done' },
        ],
        escape: 'done',
      },
      signal,
    );
    if (choice === undefined || choice === 'done') return;
    const problem = save(app, choice === 'usual' ? undefined : toggled(shown, choice));
    if (problem !== undefined) return app.fail(problem);
    initial = choice === 'usual' ? FOOTER_ITEMS.length : FOOTER_ITEMS.indexOf(choice);
  }
}

/** In the order of the table, whatever was switched last. */
function toggled(shown: readonly FooterItem[], item: FooterItem): FooterItem[] {
  return FOOTER_ITEMS.filter((each) => (each === item ? !shown.includes(each) : shown.includes(each)));
}

/** A sentence when it cannot be saved. */
function save(app: App, items: readonly FooterItem[] | undefined): string | undefined {
  try {
    saveSetting(userSettingsFile(app), 'ui.footer.items', items);
    return reloadSettings(app);
  } catch (error) {
    return getErrorMessage(error);
  }
}
