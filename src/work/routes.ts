import type { Route } from '../platform/http/route.ts'
import { assignmentRoutes } from './assignments/routes.ts'
import { bulkActionRoutes } from './bulk-actions/routes.ts'
import { calibrationRoutes } from './calibrations/routes.ts'
import { commentRoutes } from './comments/routes.ts'
import { notificationRoutes } from './notifications/routes.ts'
import { playlistRoutes } from './playlists/routes.ts'
import { viewRoutes } from './views/routes.ts'

export const workRoutes: Route[] = [
  ...commentRoutes,
  ...notificationRoutes,
  ...assignmentRoutes,
  ...viewRoutes,
  ...playlistRoutes,
  ...bulkActionRoutes,
  ...calibrationRoutes,
]
