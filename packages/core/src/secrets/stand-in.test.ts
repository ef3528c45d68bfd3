import { expect, it } from 'vitest';
import { findSecrets } from './find-secrets.ts';
import { standInFor } from './stand-in.ts';

const letters = (length: number, text = 'Ab3dE') => text.repeat(length).slice(0, length);
const hex = (length: number) => letters(length, 'a1b2c3');
const block = (end: string) =>
  ['-----BEGIN RSA PRIVATE KEY-----', letters(64), `${letters(20)}==`, '-----END RSA PRIVATE KEY-----'].join(end);

it.each([
  ...[`gho_${letters(36)}`, `github_pat_${letters(30)}`, `glpat-${letters(24)}`, `AKIA${letters(16, 'AB1')}`],
  ...[
    `AIza${letters(35)}`,
    `ya29.${letters(40)}`,
    `GOCSPX-${letters(28)}`,
    `sk-ant-api03-${letters(30)}`,
    `sk-proj-${letters(40)}`,
  ],
  ...[`sk-${letters(48)}`, `sk-or-v1-${hex(64)}`, `xoxb-${letters(20)}`, `xapp-1-${letters(24)}`, `npm_${letters(36)}`],
  ...[
    `pypi-AgEIcHlwaS5vcmc${letters(60)}`,
    `sk_live_${letters(24)}`,
    `whsec_${letters(40)}`,
    `SG.${letters(22)}.${letters(43)}`,
  ],
  ...[
    `hf_${letters(34)}`,
    `dop_v1_${hex(64)}`,
    `dckr_pat_${letters(27)}`,
    `gsk_${letters(52)}`,
    `shpat_${hex(32)}`,
    `hvs.${letters(30)}`,
  ],
  ...[
    `lin_api_${letters(40)}`,
    `AGE-SECRET-KEY-1${letters(58, 'Q2')}`,
    `eyJ${letters(20)}.eyJ${letters(30)}.${letters(20)}`,
  ],
  ...[block('\n'), block('\\n'), block('\r\n')],
])('%s has a stand-in of its kind and length that holds nothing of it', (value) => {
  const [found] = findSecrets(`x ${value} y`);
  expect(found?.value).toBe(value);
  const standIn = standInFor(found!, 12);
  expect(findSecrets(`x ${standIn} y`)).toEqual([{ ...found, value: standIn }]);
  expect(standIn).toHaveLength(value.length);
  expect(standIn).not.toBe(standInFor(found!, 13));
  expect(standIn).not.toMatch(/b3d|b3|1b2|AB1|Q2/);
});

it.each(['swordfish12', 'secret', 'correcthorsebattery', 'c0rrect-horse-battery'])(
  'the password %s has one too',
  (value) => {
    const text = (password: string) => `postgres://ann:${password}@db.corp.net/x`;
    const [found] = findSecrets(text('x1y2z3'));
    const standIn = standInFor({ kind: 'password', value }, 7);
    expect(findSecrets(text(standIn))).toEqual([{ ...found, value: standIn }]);
    expect(standIn).toHaveLength(value.length);
  },
);
