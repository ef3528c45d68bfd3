/** `--output-schema` in runs of the built program: what scripts read, in every format. */

import { createWorkspace, fakeModel, runCli, say } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { variants } from '../house/variants.ts';

const SCHEMA = JSON.stringify({ type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] });

describe('--output-schema', () => {
  variants.each<[string, string[], (stdout: string) => unknown]>([
    ['text', [], (stdout) => stdout],
    ['json', ['-o', 'json'], (stdout) => (JSON.parse(stdout) as { structured: unknown }).structured],
    [
      'stream-json',
      ['-o', 'stream-json'],
      (stdout) => (JSON.parse(stdout.trim().split('\n').at(-1)!) as { structured: unknown }).structured,
    ],
  ])('gives the answer as %s, after a repair', async (format, flags, read) => {
    await using workspace = await createWorkspace({ files: { 's.json': SCHEMA } });
    await using model = await fakeModel([say('Two files.'), say('Here it is:\n\n```json\n{ "count": 2 }\n```\nDone.')]);
    const { code, stdout } = await runCli(['-p', 'count', '--output-schema', 's.json', ...flags], { workspace, model });
    expect(code).toBe(0);
    expect(read(stdout)).toEqual(format === 'text' ? '{"count":2}\n' : { count: 2 });
    model.assertDone();
  });

  it('ends with 59 and the reason when no answer matches; nothing is on stdout', async () => {
    await using workspace = await createWorkspace({ files: { 's.json': SCHEMA } });
    await using model = await fakeModel([say('No.'), say('{}'), say('{"count":"2"}')]);
    const { code, stdout, stderr } = await runCli(['-p', 'count', '--output-schema', 's.json'], { workspace, model });
    expect([code, stdout]).toEqual([59, '']);
    expect(stderr).toContain('The answer does not match the schema, also after 2 further requests: #/count');
  });

  it('names the file and the line of a bad schema, before anything is sent', async () => {
    const files = {
      'pattern.json': '{\n  "type": "object",\n  "properties": {\n    "a": { "pattern": "(" }\n  }\n}\n',
    };
    await using workspace = await createWorkspace({ files: { ...files, 'empty.json': '' } });
    await using model = await fakeModel([]);
    const run = (name: string) => runCli(['-p', 'x', '--output-schema', name], { workspace, model });
    const results = await Promise.all(['none.json', 'pattern.json', 'empty.json'].map(run));
    expect(results.map(({ code, stdout }) => [code, stdout])).toEqual(results.map(() => [42, '']));
    const [none, pattern, empty] = results.map(({ stderr }) => stderr.replaceAll(`${workspace.project}/`, ''));
    expect(none).toContain('--output-schema: none.json does not exist.');
    expect(pattern).toContain('--output-schema: pattern.json:4: properties.a.pattern: the pattern is invalid');
    expect(empty).toContain('--output-schema: empty.json: the file is empty');
    expect(model.requests).toEqual([]);
  });
});
