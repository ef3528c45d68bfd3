/** The preset of conversations with models that bring their own sampling: it sets nothing. */

export const PLAIN_PRESET = 'plain';
