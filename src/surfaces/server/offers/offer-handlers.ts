import { callHandlers } from './call-handlers.ts'
import { resourceHandlers } from './resource-handlers.ts'
import { skillHandlers } from './skill-handlers.ts'
import { taskHandlers } from './task-handlers.ts'
import { toolHandlers } from './tool-handlers.ts'

export const offerHandlers = {
  ...toolHandlers,
  ...callHandlers,
  ...resourceHandlers,
  ...skillHandlers,
  ...taskHandlers,
}
