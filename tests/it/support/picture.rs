//! Makes a PNG file of one colour.

/// A picture of one colour.
pub(crate) fn picture_file(width: u32, height: u32) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Grayscale);
    let mut writer = encoder.write_header().expect("a header");
    let pixels = vec![0x7f; (width * height) as usize];
    writer.write_image_data(&pixels).expect("pixels");
    writer.finish().expect("an end");
    file
}
