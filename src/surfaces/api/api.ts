import { appRoutes } from './app-routes.ts'
import { auditRoutes } from './audit-routes.ts'
import { chatRoutes } from './chat-routes.ts'
import { clientRoutes } from './client-routes.ts'
import { configRoutes } from './config-routes.ts'
import { feedRoutes } from './feed.ts'
import { lockRoutes } from './lock-routes.ts'
import { questionRoutes } from './question-routes.ts'
import type { AnswerOf, InputOf, Route } from './route.ts'
import { serverRoutes } from './server-routes.ts'
import { skillRoutes } from './skill-routes.ts'
import { taskRoutes } from './task-routes.ts'
import { toolRoutes } from './tool-routes.ts'

/** Every route of the API by method and path. The events (`GET /api/events`) are a stream, and not in it. */
export const api = {
  ...feedRoutes,
  ...serverRoutes,
  ...toolRoutes,
  ...skillRoutes,
  ...appRoutes,
  ...questionRoutes,
  ...taskRoutes,
  ...chatRoutes,
  ...configRoutes,
  ...lockRoutes,
  ...auditRoutes,
  ...clientRoutes,
} as const satisfies Readonly<Record<string, Route>>

export type Api = typeof api
export type RouteKey = keyof Api
export type RouteInput<Key extends RouteKey> = InputOf<Key, Api[Key]>
export type RouteAnswer<Key extends RouteKey> = AnswerOf<Api[Key]>
