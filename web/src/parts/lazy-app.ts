import lazy from 'preact-iso/lazy'
import '../style/app.css'

/** Loaded with the first app. */
export const AppView = lazy(() => import('./app/app-view.tsx').then((app) => app.AppView))
export const AppContexts = lazy(() => import('./app/app-contexts.tsx').then((app) => app.AppContexts))
