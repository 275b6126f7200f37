import type { Route } from './route.ts'
import type { TypeOf } from './schema-builder.ts'
import { anything, described, flag, list, object, oneOf, openObject, text, texts } from './schema-builder.ts'
import { json, shownFinding } from './shared-shapes.ts'

/** What an app may reach or use. */
export const appGrants = object({
  connect: described('Origins that it sends requests to.', texts),
  resources: described('Origins that it loads scripts, styles, images and fonts from.', texts),
  frames: described('Origins whose pages it shows.', texts),
  permissions: list(oneOf('camera', 'microphone', 'geolocation', 'clipboard-write')),
})
export type ShownGrants = TypeOf<typeof appGrants>

/** How the call of an app ended; empty while it runs. */
const outcomeFields = {
  'result?': described('The result of the call, as the server sent it.', anything),
  'cancelled?': described('Why there is no result.', text),
}
const appOutcome = object(outcomeFields)
export type AppOutcome = TypeOf<typeof appOutcome>

/** An app that is open in a page. */
export const openedApp = object({
  id: text,
  server: text,
  tool: text,
  uri: text,
  title: text,
  address: described('The address of its frame, which answers once.', text),
  origin: text,
  allow: described('The value of the attribute `allow` of its frame.', text),
  granted: appGrants,
  asked: described('What it asks for, and a person has not granted.', appGrants),
  dropped: described('Entries of what it asks for that are no origins.', texts),
  findings: list(shownFinding),
  'prefersBorder?': flag,
  definition: described('The definition of its tool.', openObject),
  'args?': described('Absent while a model still writes them.', json),
  ...outcomeFields,
})
export type OpenedApp = TypeOf<typeof openedApp>

export const appRoutes = {
  'POST /api/apps': {
    summary: 'Opens the app that shows a call, or one that a model begins to write.',
    body: object({
      'call?': text,
      'ref?': described('The tool, while its call has no id.', text),
      'conversation?': described('The conversation of such a call.', text),
    }),
    answer: object({ app: openedApp }),
  },
  'DELETE /api/apps/:app': {
    summary: 'Closes an app: what it has asked for ends.',
    answer: object({ isClosed: flag }),
  },
  'GET /api/apps/:app/outcome': {
    summary: 'How the call that an app shows has ended.',
    query: object({ call: text }),
    answer: object({ args: json, ...outcomeFields }),
  },
  'POST /api/apps/:app/call': {
    summary: 'A call of an app: tools of its own server that apps may call, by the rules for any call.',
    body: object({ name: text, args: json }),
    answer: object({ result: anything }),
  },
  'POST /api/apps/:app/read': {
    summary: 'Reads a resource of the app’s own server.',
    body: object({ uri: text }),
    answer: object({ result: anything }),
  },
  'GET /api/app-grants': {
    summary: 'What was granted to apps.',
    answer: object({ grants: list(object({ server: text, uri: text, granted: appGrants })) }),
  },
  'PUT /api/app-grants': {
    summary: 'Grants an app what it asks for, or takes it back. It counts when the app is opened again.',
    body: object({
      server: text,
      uri: text,
      granted: appGrants,
      'app?': described(
        'The id of the app while it is open: the folder of a conversation may have another server of this name.',
        text,
      ),
    }),
    answer: object({ granted: appGrants }),
  },
} as const satisfies Readonly<Record<string, Route>>
