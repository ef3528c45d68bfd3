import { describe, expect, it } from 'vitest';
import { INITIAL_UI, reduceUi } from './ui-state.ts';

describe('the state of the UI', () => {
  const asked = reduceUi(INITIAL_UI, { type: 'toast', text: 'Press Ctrl+C again to exit.', arms: 'exit' });

  it('awaits one second press at a time', () => {
    expect(asked).toMatchObject({ toast: 'Press Ctrl+C again to exit.', armed: 'exit' });
    expect(reduceUi(asked, { type: 'toast', text: 'Press Esc again.', arms: 'clear' }).armed).toBe('clear');
    expect(reduceUi(asked, { type: 'toast', text: 'Saved.' }).armed).toBeUndefined();
  });

  it('forgets the press with the toast', () => {
    expect(reduceUi(asked, { type: 'calm' })).toEqual(INITIAL_UI);
  });

  it('keeps what is hidden while toasts come and go', () => {
    const hidden = reduceUi(asked, { type: 'toggle', what: 'isMinimal' });
    expect(reduceUi(hidden, { type: 'calm' })).toEqual({ ...INITIAL_UI, isMinimal: true });
  });
});
