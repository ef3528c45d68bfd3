/** The service's messages when a tool's declaration may be invalid; there is no code for it. */
const SCHEMA_COMPLAINTS = ['maximum schema depth exceeded', 'Request contains an invalid argument'];

export function mayBlameSchema(message: string): boolean {
  return SCHEMA_COMPLAINTS.some((complaint) => message.includes(complaint));
}
