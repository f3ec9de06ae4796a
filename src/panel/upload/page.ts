import type { Page } from '../frame/page.ts'
import { uploadRoutes } from './routes.ts'
import { upload } from './words.ts'

export const uploadPage: Page<'upload', typeof upload> = {
  name: 'upload',
  words: upload,
  routes: uploadRoutes,
  menu: { href: '/upload', title: upload.title, group: 'work', for: ({ rights }) => rights.manageRecordings === true },
  styles: ['upload'],
  scripts: ['upload'],
}
