// The entry `plugboard/apps`: what a web host of one's own needs to show the apps of tools (MCP Apps). It runs in Node and in browsers.
export { appFrameDocuments } from './apps/frame-document.ts'
export type { AppFrameOptions, FrameAnswer } from './apps/frame-document.ts'
export { openAppSession } from './apps/app-session.ts'
export type { AppSession, AppSessionOptions } from './apps/app-session.ts'
export { serveApps } from './apps/serve-apps.ts'
export type { AppCall, ServeAppsOptions, ServedApps } from './apps/serve-apps.ts'
export type { AppAnswer, AppRequest, ServedApp } from './apps/served-app.ts'
export { showApp } from './apps/show-app.ts'
export type { AppBox, ShowAppOptions } from './apps/show-app.ts'
export type { AppFrameElement } from './apps/open-frame.ts'
export { readPartialInput } from './apps/partial-input.ts'
export { connectApp } from './apps/connect-app.ts'
export type {
  AppBridge,
  AppBridgeClass,
  AppConnection,
  AppConnectionOptions,
  AppHandlers,
  AppMessageEvent,
  AppSurroundings,
} from './apps/connect-app.ts'
export { allowAttribute, hasGrants, missingGrants, noGrants, usableGrants } from './model/app/app-security.ts'
export type { AppGrants } from './model/app/app-security.ts'
export type { AppDocument, AppPermission, AppWishes } from './model/app/app-document.ts'
