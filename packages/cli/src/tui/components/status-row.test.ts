import { expect, it } from 'vitest';
import { createStyles } from '../theme/styles.ts';
import { chooseTheme } from '../theme/theme.ts';
import { renderStatus } from './status-row.ts';

const STYLES = createStyles(chooseTheme({}).theme, 'none');
const RUNNING = { verb: 'Running', elapsedMs: 12_000, keys: ['esc stops', 'tab types into it'], showsSpinner: false };
const COMMAND = 'npm run build --workspace=packages/core -- --verbose && npm test -- --reporter dot';

const at = (width: number, object: string) => renderStatus({ ...RUNNING, object }, { styles: STYLES, width });

it('shortens a long command until every key is in the row', () => {
  expect(at(79, COMMAND)).toBe('· Running npm run build --workspace=pac… · 12 s · esc stops · tab types into it');
});

it('leaves a command that says something where the row is too narrow for every key', () => {
  expect(at(59, COMMAND)).toBe('· Running npm run build --workspace=pac… · 12 s · esc stops');
  expect(at(59, 'npm test')).toBe('· Running npm test · 12 s · esc stops · tab types into it');
});
