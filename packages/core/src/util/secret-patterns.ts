/** The forms of secrets: names of variables and settings that hold one, and values that are one whatever their name. */

export const SECRET_NAME = /key|token|secret|passw|credential|auth(?!providertype)|cookie|private|signature/i;

export const SECRET_VALUE =
  /\b(?:AIza[\w-]{20,}|sk-[\w-]{16,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|xox[abprs]-[\w-]{10,}|ya29\.[\w-]{10,}|glpat-[\w-]{16,}|AKIA[A-Z0-9]{16}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*)/g;
