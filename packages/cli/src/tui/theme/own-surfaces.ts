/** The surfaces and the lines of the default themes, chosen by eye. Data only. */

/** What only the default themes name; for the others it is mixed (theme/surfaces.ts). */
export const OWN_SURFACES: Readonly<
  Record<string, Record<'message' | 'code' | 'addedWord' | 'removedWord' | 'line', string>>
> = {
  Default: { message: '#2f333b', code: '#262a30', addedWord: '#234a32', removedWord: '#632c34', line: '#6b727d' },
  'Default Light': {
    message: '#e9ecf1',
    code: '#f3f4f6',
    addedWord: '#b7e8c6',
    removedWord: '#ffcfcf',
    line: '#8c959f',
  },
};
