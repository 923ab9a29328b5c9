export function rooms(): { rooms: Record<string, number>; core: number; total: number };
