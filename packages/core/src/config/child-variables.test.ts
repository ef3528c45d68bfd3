import { describe, expect, it } from 'vitest';
import { defaultChildVariables } from './child-variables.ts';

describe('the variables of commands whose caller names none', () => {
  it('are those programs need, and no credential', () => {
    const environment = {
      PATH: '/bin',
      HOME: '/h',
      LC_ALL: 'C',
      Path: 'C:\\',
      AWS_SECRET_ACCESS_KEY: 's',
      GH_TOKEN: 't',
      X: undefined,
    };
    expect(defaultChildVariables(environment)).toEqual({ PATH: '/bin', HOME: '/h', LC_ALL: 'C', Path: 'C:\\' });
  });
});
