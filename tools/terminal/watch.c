/* SPDX-License-Identifier: GPL-2.0-or-later */
/* watch.c - see watch.h */
#define _GNU_SOURCE /* ppoll */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "watch.h"

/* The other screen, no cursor, lines are cut; and back. */
#define ENTER "\033[?1049h\033[?25l\033[?7l"
#define LEAVE "\033[?7h\033[?25h\033[?1049l"

/* What is drawn, and how far it is scrolled. */
struct screen {
	const struct tb_watch *watch;
	unsigned columns, rows;
	char *text; /* what draw printed last; NULL: nothing yet */
	unsigned lines;
	unsigned top;	     /* the first line in sight */
	struct tb_error why; /* of the last try; "": it went well */
	time_t time;
	bool has_keys; /* stdin tells some */
};

/* ---- the terminal, also for signal handlers ---- */

static struct {
	struct termios before, now;
	bool has_keys; /* stdin is a terminal, with these settings */
} terminal;

static void write_terminal(const char *text, size_t length)
{
	while (length) {
		ssize_t done = write(STDOUT_FILENO, text, length);

		if (done < 0 && errno != EINTR)
			return;
		if (done > 0) {
			text += done;
			length -= done;
		}
	}
}

static void enter_screen(void)
{
	if (terminal.has_keys)
		tcsetattr(STDIN_FILENO, TCSAFLUSH, &terminal.now);
	write_terminal(ENTER, strlen(ENTER));
}

static void leave_screen(void)
{
	write_terminal(LEAVE, strlen(LEAVE));
	if (terminal.has_keys)
		tcsetattr(STDIN_FILENO, TCSAFLUSH, &terminal.before);
}

static void read_settings(void)
{
	terminal.has_keys = isatty(STDIN_FILENO) &&
			    !tcgetattr(STDIN_FILENO, &terminal.before);
	terminal.now = terminal.before;
	terminal.now.c_lflag &= ~(ICANON | ECHO);
	terminal.now.c_cc[VMIN] = 1;
	terminal.now.c_cc[VTIME] = 0;
}

/* ---- signals ---- */

static void end_watch(int number)
{
	leave_screen();
	if (number == SIGINT)
		_exit(0);
	signal(number, SIG_DFL);
	raise(number);
}

/* Control-Z: here it stops, and here it goes on. */
static void stop_process(int number)
{
	(void)number;
	leave_screen();
	kill(getpid(), SIGSTOP);
	enter_screen();
}

static void note_resize(int number)
{
	(void)number; /* poll() has returned, that is all */
}

static const struct {
	int number;
	void (*handler)(int number);
} signals[] = {
	{ SIGINT, end_watch },	   { SIGTERM, end_watch },
	{ SIGHUP, end_watch },	   { SIGQUIT, end_watch },
	{ SIGTSTP, stop_process }, { SIGWINCH, note_resize },
};
#define SIGNALS (sizeof(signals) / sizeof(signals[0]))

/*
 * before: what they were.  A new size and a stop are noticed only while waiting,
 * so that no drawing is cut by them; open is the mask for that time.
 */
static void catch_signals(struct sigaction before[SIGNALS], sigset_t *open)
{
	sigset_t closed;

	sigemptyset(&closed);
	sigaddset(&closed, SIGWINCH);
	sigaddset(&closed, SIGTSTP);
	sigprocmask(SIG_BLOCK, &closed, open);
	for (size_t i = 0; i < SIGNALS; i++) {
		struct sigaction action = { .sa_handler = signals[i].handler };

		sigfillset(&action.sa_mask);
		sigaction(signals[i].number, &action, &before[i]);
	}
}

static void restore_signals(const struct sigaction before[SIGNALS],
			    const sigset_t *open)
{
	for (size_t i = 0; i < SIGNALS; i++)
		sigaction(signals[i].number, &before[i], NULL);
	sigprocmask(SIG_SETMASK, open, NULL);
}

/* ---- the lines ---- */

static void measure_terminal(struct screen *screen)
{
	struct winsize size;

	screen->columns = 80;
	screen->rows = 24;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_row)
		return;
	screen->columns = size.ws_col;
	screen->rows = size.ws_row;
}

static unsigned count_lines(const char *text)
{
	unsigned lines = 0;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

/* Draw into a new text; that of before stays when it does not work. */
static void draw_screen(struct screen *screen)
{
	const struct tb_watch *watch = screen->watch;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int rc;

	if (!out) {
		tb_fail(&screen->why, "out of memory");
		return;
	}
	rc = watch->draw(watch->data, screen->columns, out, &screen->why);
	if (fclose(out) && !rc)
		rc = tb_fail(&screen->why, "out of memory");
	if (rc) {
		free(text);
		return;
	}
	*screen->why.text = '\0';
	screen->time = time(NULL);
	free(screen->text);
	screen->text = text;
	screen->lines = count_lines(text);
}

/* Lines in sight, without the two at the top. */
static unsigned get_page_lines(const struct screen *screen)
{
	return screen->rows > 3 ? screen->rows - 2 : 1;
}

static void keep_inside(struct screen *screen)
{
	unsigned most = screen->lines > get_page_lines(screen)
				? screen->lines - get_page_lines(screen)
				: 0;

	if (screen->top > most)
		screen->top = most;
}

static void print_title(const struct screen *screen, FILE *out)
{
	struct tm parts;
	char when[32] = "";

	if (screen->text && localtime_r(&screen->time, &parts))
		strftime(when, sizeof(when), "%H:%M:%S", &parts);
	fprintf(out, "%s  %s  every %u s  ", screen->watch->title, when,
		screen->watch->seconds);
	if (screen->lines > get_page_lines(screen))
		fprintf(out, "lines %u-%u of %u (arrows)  ", screen->top + 1,
			screen->top + get_page_lines(screen), screen->lines);
	fprintf(out, "q: quit\033[K\r\n");
	for (const char *c = screen->why.text; *c; c++)
		fputc((unsigned char)*c < ' ' ? '?' : *c, out);
	fputs("\033[K", out);
}

static void print_lines(const struct screen *screen, FILE *out)
{
	const char *line = screen->text ? screen->text : "";
	unsigned last = screen->top + get_page_lines(screen);

	for (unsigned i = 0; *line && i < last; i++) {
		int length = strcspn(line, "\n");

		if (i >= screen->top)
			fprintf(out, "\r\n%.*s\033[K", length, line);
		line += length + (line[length] == '\n');
	}
	fputs("\033[J", out);
}

/* All at once, so that nothing flickers. */
static void print_screen(struct screen *screen)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	keep_inside(screen);
	if (!out)
		return;
	fputs("\033[H", out);
	print_title(screen, out);
	print_lines(screen, out);
	if (!fclose(out))
		write_terminal(text, size);
	free(text);
}

/* ---- keys ---- */

static void scroll_lines(struct screen *screen, int lines)
{
	if (lines < 0 && screen->top < (unsigned)-lines)
		screen->top = 0;
	else
		screen->top += lines;
}

/* What keys send, and by how many pages and lines they scroll. */
static const struct {
	const char *sent;
	int pages, lines;
} keys[] = {
	{ "j", 0, 1 },	      { "\033[B", 0, 1 },  { "\033OB", 0, 1 },
	{ "k", 0, -1 },	      { "\033[A", 0, -1 }, { "\033OA", 0, -1 },
	{ " ", 1, 0 },	      { "\033[6~", 1, 0 }, { "b", -1, 0 },
	{ "\033[5~", -1, 0 },
};
#define KEYS (sizeof(keys) / sizeof(keys[0]))

/* Take the first key of what was sent; its length. */
static size_t take_key(struct screen *screen, const char *sent)
{
	for (size_t i = 0; i < KEYS; i++) {
		size_t length = strlen(keys[i].sent);

		if (strncmp(sent, keys[i].sent, length))
			continue;
		scroll_lines(screen,
			     keys[i].pages * (int)get_page_lines(screen) +
				     keys[i].lines);
		keep_inside(screen);
		return length;
	}
	return 1;
}

/* False: the user has seen enough. */
static bool take_keys(struct screen *screen)
{
	char sent[64];
	ssize_t length = read(STDIN_FILENO, sent, sizeof(sent) - 1);

	if (length <= 0) {
		screen->has_keys = length < 0 && errno == EINTR;
		return true;
	}
	sent[length] = '\0';
	for (const char *c = sent; *c; c += take_key(screen, c))
		if (*c == 'q')
			return false;
	return true;
}

/* ---- all of it ---- */

static int64_t get_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Wait until then for a key or a signal.  False: the user has seen enough. */
static bool wait_for_user(struct screen *screen, int64_t until,
			  const sigset_t *open)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
	int64_t left = until - get_now_ms();
	struct timespec timeout;

	if (left < 0)
		left = 0;
	timeout = (struct timespec){ left / 1000, left % 1000 * 1000000 };
	if (ppoll(&input, screen->has_keys, &timeout, open) > 0)
		return take_keys(screen);
	return true;
}

static void watch_until_quit(struct screen *screen, const sigset_t *open)
{
	bool goes_on = true;

	while (goes_on) {
		unsigned columns;
		int64_t next;

		measure_terminal(screen);
		draw_screen(screen);
		columns = screen->columns;
		next = get_now_ms() + (int64_t)screen->watch->seconds * 1000;
		/* Another width is another drawing. */
		while (goes_on && get_now_ms() < next &&
		       screen->columns == columns) {
			print_screen(screen);
			goes_on = wait_for_user(screen, next, open);
			measure_terminal(screen);
		}
	}
}

/* What libraries say would go across the picture.  The copy, or -1. */
static int silence_stderr(void)
{
	int copy = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (copy >= 0 && null >= 0)
		dup2(null, STDERR_FILENO);
	if (null >= 0)
		close(null);
	return copy;
}

static void restore_stderr(int copy)
{
	if (copy < 0)
		return;
	dup2(copy, STDERR_FILENO);
	close(copy);
}

int tb_watch_run(const struct tb_watch *watch, struct tb_error *err)
{
	struct screen screen = { .watch = watch };
	struct sigaction before[SIGNALS];
	sigset_t open;
	int copy;

	if (!isatty(STDOUT_FILENO))
		return tb_fail(
			err,
			"--watch needs a terminal for its output; leave --watch out");
	read_settings();
	screen.has_keys = terminal.has_keys;
	fflush(stdout);
	catch_signals(before, &open);
	copy = silence_stderr();
	enter_screen();
	watch_until_quit(&screen, &open);
	leave_screen();
	restore_stderr(copy);
	restore_signals(before, &open);
	free(screen.text);
	return 0;
}
