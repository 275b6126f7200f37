import type { Area } from '../area.ts'
import { appHandlers } from './app-handlers.ts'

export const appArea: Area = { handlers: appHandlers }
