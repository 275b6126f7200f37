// The entry `plugboard/apps` for browsers: what speaks with an app in a page. Its names are those of `apps.ts`, and it needs nothing of Node.
export { connectApp } from './apps/connect-app.ts'
export { showApp } from './apps/show-app.ts'
export { readPartialInput } from './apps/partial-input.ts'
export { allowAttribute, hasGrants, missingGrants, noGrants, usableGrants } from './model/app/app-security.ts'
