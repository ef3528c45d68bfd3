/** SkillError: why a skill cannot be installed, linked or removed, as sentences for the user. */
export class SkillError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SkillError';
  }
}
